// Step through a text by visible characters and by words. Offsets are UTF-16 code units.

const graphemes = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter(undefined, {granularity: 'grapheme'}) : null;

// Returns the offset after the next, or before the previous, visible character.
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

// Returns the offset at the end of the next word, or at the begin of the previous one.
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

// Moves a border by a character or a word, so that the span never begins or ends with white space.
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
