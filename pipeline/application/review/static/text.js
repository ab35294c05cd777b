// The text of a document in two columns, row by row: spans as marks, their replacements, offsets and caret.
// Offsets are UTF-16 code units, as in JavaScript. Rows far from the window are empty boxes, so that a text of 5 MB stays usable.

import {character} from './moving.js';

const SMALL = 250000; // texts up to this length are drawn whole
const LONG_ROW = 2000; // characters of a row in longer texts
const LIVE = new Set(['open', 'accepted']);
const ORDER = {accepted: 0, open: 0, left: 1, right: 1, leak: 2, rejected: 3, suggested: 4};

export const isLive = span => LIVE.has(span.s);

const tops = new Map(); // first-level kind of each kind

export function learnKinds(kinds) {
  for (const kind of kinds) tops.set(kind.name, kind.top);
}

export const topOf = kind => tops.get(kind) ?? kind.split('_')[0];

export function kindClass(kind) {
  const top = topOf(kind);
  const known = ['DATE', 'AGE', 'PERSON', 'LOCATION', 'ORGANIZATION', 'PROFESSION', 'ID', 'PHONE', 'FAX', 'EMAIL', 'URL', 'IP', 'PHOTO'];
  return 'k-' + (known.includes(top) ? top : top === 'OTHER' || !tops.has(kind) ? 'OTHER' : 'OWN');
}

export class TextView {
  constructor(element, caret) {
    this.element = element;
    this.caretElement = caret;
    this.chosen = null;
    this.observer = new IntersectionObserver(seen => this.see(seen), {root: element, rootMargin: '900px 0px'});
  }

  // `spans`: what to show, each {id, b, e, k, s, m}; `strays`: replacements outside spans; `two`: left and right annotator instead
  load(text, spans, strays, two) {
    this.observer.disconnect();
    this.text = text;
    this.strays = strays;
    this.two = two;
    this.arrange(spans);
    const begins = rowBegins(text);
    this.rows = begins.map((b, n) => ({b, e: n + 1 < begins.length ? begins[n + 1] : text.length, filled: false}));
    const whole = text.length <= SMALL;
    const made = document.createDocumentFragment();
    this.rows.forEach((row, n) => {
      row.box = document.createElement('div');
      row.box.className = 'row';
      row.box._n = n;
      row.left = document.createElement('div');
      row.left.className = 'cell original';
      row.right = document.createElement('div');
      row.right.className = 'cell masked';
      row.box.append(row.left, row.right);
      if (whole) this.fill(row);
      else row.box.classList.add('far');
      made.append(row.box);
    });
    this.element.replaceChildren(made);
    this.element.scrollTop = 0;
    if (!whole) this.rows.forEach(row => this.observer.observe(row.box));
  }

  arrange(spans) {
    this.left = layers(spans.filter(s => s.s !== 'right' && !(this.two && s.id[0] === 'R' && !isLive(s))));
    this.right = this.two
      ? layers(spans.filter(s => s.s !== 'left' && !(s.id[0] === 'L' && !isLive(s))))
      : written(spans, this.strays);
  }

  // Redraws the text between two offsets.
  update(spans, begin, end) {
    this.arrange(spans);
    for (let n = this.rowAt(begin); n < this.rows.length && this.rows[n].b <= end; n++) {
      if (this.rows[n].filled) this.fill(this.rows[n]);
    }
  }

  see(seen) {
    for (const entry of seen) {
      const row = this.rows[entry.target._n];
      if (!row || row.box !== entry.target) continue;
      if (entry.isIntersecting && !row.filled) this.fill(row);
      else if (!entry.isIntersecting && row.filled) this.empty(row);
    }
  }

  empty(row) {
    row.box.style.height = row.box.offsetHeight + 'px';
    row.left.replaceChildren();
    row.right.replaceChildren();
    row.filled = false;
  }

  fill(row) {
    row.left.replaceChildren(this.drawn(row, this.left, true));
    row.right.replaceChildren(this.two ? this.drawn(row, this.right, true) : this.drawn(row, this.right, false));
    row.box.classList.remove('far');
    row.box.style.height = '';
    row.filled = true;
  }

  drawn(row, marks, original) {
    const made = document.createDocumentFragment();
    let at = row.b;
    const plain = (b, e) => {
      if (b < e) {
        const node = document.createTextNode(this.text.slice(b, e));
        node._o = original ? b : -1;
        made.append(node);
      }
    };
    for (let i = firstAfter(marks, row.b); i < marks.length && marks[i].b < row.e; i++) {
      const mark = marks[i];
      const begin = Math.max(mark.b, row.b), end = Math.min(mark.e, row.e);
      if (begin < at && mark.b >= row.b) continue;
      plain(at, begin);
      const starts = mark.b >= row.b;
      if (mark.t === undefined) made.append(this.mark(mark.span, begin, end, original, starts));
      else if (starts) made.append(this.replaced(mark));
      at = Math.max(at, end);
    }
    plain(at, row.e);
    return made;
  }

  mark(span, begin, end, original, first) {
    const made = document.createElement('mark');
    const kept = !original && isLive(span) ? ' kept' : '';
    made.className = `${span.s} ${kindClass(span.k)}${kept}${span.id === this.chosen ? ' on' : ''}`;
    made.dataset.id = span.id;
    if (original && first) made.dataset.k = span.k.split('_')[0];
    made.tabIndex = -1;
    made.setAttribute('role', 'button');
    const words = this.text.slice(begin, end);
    made.setAttribute('aria-label', `${words}: ${named(span.k)}, ${told(span)}`);
    const node = document.createTextNode(words);
    node._o = original ? begin : -1;
    made.append(node);
    return made;
  }

  replaced(piece) {
    const made = document.createElement('mark');
    made.className = `replaced ${kindClass(piece.k)}${piece.id && piece.id === this.chosen ? ' on' : ''}`;
    if (piece.id) made.dataset.id = piece.id;
    if (!piece.t) made.classList.add('nothing');
    made.textContent = piece.t;
    return made;
  }

  // Marks one span as chosen and scrolls to it.
  choose(span, focus) {
    this.element.querySelectorAll('mark.on').forEach(m => m.classList.remove('on'));
    this.chosen = span ? span.id : null;
    if (!span) return;
    this.reveal(span.b);
    const there = [...this.element.querySelectorAll('mark')].filter(m => m.dataset.id === span.id);
    there.forEach(m => m.classList.add('on'));
    if (there.length) {
      there[there.length - 1].scrollIntoView({block: 'nearest'});
      there[0].scrollIntoView({block: 'nearest'});
      if (focus) there[0].focus({preventScroll: true});
    }
  }

  reveal(offset) {
    const row = this.rows[this.rowAt(offset)];
    if (row && !row.filled) {
      row.box.scrollIntoView({block: 'center'});
      this.fill(row);
      row.box.scrollIntoView({block: 'center'});
    }
    return row;
  }

  rowAt(offset) {
    let low = 0, high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.rows[middle].b <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Returns the offset of the first visible row.
  firstVisible() {
    const frame = this.element.getBoundingClientRect();
    const row = this.rows.find(r => r.box.getBoundingClientRect().bottom > frame.top + 4);
    return row ? row.b : 0;
  }

  // -- offsets of the page's selection ------------------------------------------------------------------------------

  offsetOf(node, inside) {
    if (node.nodeType === Node.TEXT_NODE) return node._o >= 0 ? node._o + inside : -1;
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const child = node.childNodes[inside];
    if (!child) {
      let last = null;
      while (walker.nextNode()) last = walker.currentNode;
      return last && last._o >= 0 ? last._o + last.data.length : -1;
    }
    if (child.nodeType === Node.TEXT_NODE) return child._o >= 0 ? child._o : -1;
    return this.offsetOf(child, 0);
  }

  // Returns [begin, end] of the selection in the original text, without white space at its ends; null if it is empty.
  selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.element.contains(range.startContainer) || !this.element.contains(range.endContainer)) return null;
    let b = this.offsetOf(range.startContainer, range.startOffset), e = this.offsetOf(range.endContainer, range.endOffset);
    if (b < 0 || e < 0) return null;
    if (b > e) [b, e] = [e, b];
    while (b < e && /\s/.test(this.text[b])) b++;
    while (b < e && /\s/.test(this.text[e - 1])) e--;
    return b < e ? [b, e] : null;
  }

  place(offset) {
    const row = this.reveal(offset);
    const walker = document.createTreeWalker(row.left, NodeFilter.SHOW_TEXT);
    let last = null;
    while (walker.nextNode()) {
      last = walker.currentNode;
      if (offset <= last._o + last.data.length) return [last, Math.max(0, offset - last._o)];
    }
    return last ? [last, last.data.length] : [row.left, 0];
  }

  select(begin, end) {
    const [a, i] = this.place(begin), [b, j] = this.place(end);
    getSelection().setBaseAndExtent(a, i, b, j);
  }

  // -- the keyboard's caret -----------------------------------------------------------------------------------------

  showCaret(offset) {
    const box = this.rectangle(offset);
    const frame = this.element.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) {
      this.element.scrollTop += box.top - frame.top - frame.height / 2;
      return this.showCaret(offset);
    }
    const style = this.caretElement.style;
    this.caretElement.hidden = false;
    style.left = box.left - 1 + 'px';
    style.top = box.top + 'px';
    style.height = box.height + 'px';
    return box;
  }

  hideCaret() {
    this.caretElement.hidden = true;
  }

  rectangle(offset) {
    const [node, inside] = this.place(offset);
    const range = document.createRange();
    range.setStart(node, inside);
    const boxes = range.getClientRects();
    return boxes.length ? boxes[boxes.length - 1] : (node.parentElement || node).getBoundingClientRect();
  }

  // Returns the offset one line up or down.
  line(offset, step) {
    const box = this.rectangle(offset);
    const column = this.rows[this.rowAt(offset)].left.getBoundingClientRect();
    for (let n = 1; n < 6; n++) {
      const range = document.caretRangeFromPoint
        ? document.caretRangeFromPoint(Math.max(box.left, column.left + 2), box.top + box.height / 2 + step * n * box.height * 0.8)
        : null;
      const found = range && this.element.contains(range.startContainer) ? this.offsetOf(range.startContainer, range.startOffset) : -1;
      if (found >= 0 && (step > 0 ? found > offset : found < offset)) return found;
    }
    const row = this.rowAt(offset) + step;
    return row < 0 ? 0 : row >= this.rows.length ? this.text.length : this.rows[row].b;
  }
}

// -- names ------------------------------------------------------------------------------------------------------------

export function named(kind) {
  return kind.toLowerCase().replaceAll('_', ' ');
}

const TOLD = {
  open: 'open', accepted: 'accepted', rejected: 'rejected', suggested: 'removed', leak: 'possible leak',
  left: 'to be chosen', right: 'to be chosen',
};

export function told(span) {
  return TOLD[span.s] || span.s;
}

// -- inside -----------------------------------------------------------------------------------------------------------

function rowBegins(text) {
  const begins = [0];
  const least = text.length <= SMALL ? 1 : LONG_ROW;
  let from = 0;
  for (;;) {
    let at = text.indexOf('\n', from + least - 1) + 1;
    if (text.length > SMALL && (at === 0 || at - from > 4 * LONG_ROW)) {
      at = from + 3 * LONG_ROW >= text.length ? 0 : text.indexOf(' ', from + 3 * LONG_ROW) + 1;
      if (at > from + 8 * LONG_ROW || (at === 0 && text.length - from > 8 * LONG_ROW)) at = character(text, from + 4 * LONG_ROW, 1);
    }
    if (at === 0 || at >= text.length) return begins;
    begins.push(at);
    from = at;
  }
}

// Returns disjoint spans in text order; of overlapping spans the one with the highest rank.
function layers(spans) {
  const sorted = spans.filter(s => s.b < s.e).sort((x, y) => ORDER[x.s] - ORDER[y.s] || x.b - y.b || y.e - x.e);
  const kept = [];
  let group = [];
  let order = -1;
  const settle = () => {
    if (!group.length) return;
    const merged = [];
    let i = 0, last = 0;
    for (const span of group) {
      while (i < kept.length && kept[i].b < span.b) { merged.push(kept[i]); last = Math.max(last, kept[i].e); i++; }
      if (last <= span.b && (i >= kept.length || kept[i].b >= span.e)) {
        merged.push({b: span.b, e: span.e, span});
        last = span.e;
      }
    }
    while (i < kept.length) merged.push(kept[i++]);
    kept.splice(0, kept.length, ...merged);
    group = [];
  };
  for (const span of sorted) {
    if (ORDER[span.s] !== order) { settle(); order = ORDER[span.s]; }
    group.push(span);
  }
  settle();
  return kept;
}

// Returns the content of the masked column: replacements, and live spans that stay readable.
function written(spans, strays) {
  const free = ([b, e]) => !spans.some(s => isLive(s) && s.b < Math.max(e, b + 1) && b < s.e);
  const found = strays.filter(free).map(([b, e, t]) => ({b, e, t, k: 'OTHER', id: ''}));
  for (const span of spans) {
    if (!isLive(span)) continue;
    if (!span.m.length) found.push({b: span.b, e: span.e, span});
    for (const [b, e, t] of span.m) found.push({b, e, t, k: span.k, id: span.id});
  }
  found.sort((x, y) => x.b - y.b || x.e - y.e);
  const kept = [];
  for (const piece of found) if (!kept.length || piece.b >= kept[kept.length - 1].e) kept.push(piece);
  return kept;
}

function firstAfter(marks, offset) {
  let low = 0, high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle].e <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
