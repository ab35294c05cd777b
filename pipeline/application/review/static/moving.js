// Steps through a text by characters as readers see them, and by words. Offsets are UTF-16 code units.

const graphemes = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter(undefined, {granularity: 'grapheme'}) : null;

// the offset after the next, or before the last, character that a reader sees as one
export function character(text, at, step) {
  const from = step > 0 ? at : Math.max(0, at - 40);
  const piece = text.slice(from, step > 0 ? at + 40 : at);
  if (!piece) return at;
  if (!graphemes) {
    const points = [...piece];
    return step > 0 ? at + points[0].length : at - points[points.length - 1].length;
  }
  const found = [...graphemes.segment(piece)];
  return step > 0 ? at + found[0].segment.length : at - found[found.length - 1].segment.length;
}

const inWord = c => c !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(c);

// the offset at the next word's end, or the last word's begin
export function word(text, at, step) {
  let i = at;
  if (step > 0) {
    while (i < text.length && !inWord(text[i])) i++;
    while (i < text.length && inWord(text[i])) i++;
    return i;
  }
  while (i > 0 && !inWord(text[i - 1])) i--;
  while (i > 0 && inWord(text[i - 1])) i--;
  return i;
}

// a border moved by a character or a word, never to lie beside white space inside the span
export function moved(text, span, side, step, byWord) {
  let at = side === 'b' ? span.b : span.e;
  const blank = () => at > 0 && at < text.length && /\s/.test(side === 'b' ? text[at] : text[at - 1]);
  const grows = (side === 'e') === (step > 0);
  const next = byWord ? word : character;
  at = next(text, at, step);
  while (blank()) at = grows ? next(text, at, step) : at + step;
  const b = side === 'b' ? at : span.b, e = side === 'e' ? at : span.e;
  return b < e ? [b, e] : null;
}
