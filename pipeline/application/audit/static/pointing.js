// Selection in the text by mouse, touch or keyboard, and the keyboard shortcuts.
let chosen = null, lastKind = kinds[0][0];
const WORD = /[\p{L}\p{N}]+(?:['’.\-/@_][\p{L}\p{N}]+)*/gu;

function offsetOf(node, offset) {
  const range = document.createRange();
  range.selectNodeContents(text);
  range.setEnd(node, offset);
  return range.toString().length;
}

function pointOf(offset) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode(), before = 0;
  while (node && before + node.length < offset) { before += node.length; node = walker.nextNode(); }
  return node ? [node, offset - before] : [text, 0];
}

function release() {
  chosen = null;
  getSelection().removeAllRanges();
  $('marker').hidden = true;
  say('');
}

function choose(begin, end) {
  const words = documents[at].t;
  while (begin < end && /\s/.test(words[begin])) begin++;
  while (end > begin && /\s/.test(words[end - 1])) end--;
  if (begin >= end) { chosen = null; $('marker').hidden = true; return; }
  chosen = [begin, end];
  $('chosen').textContent = words.slice(begin, end);
  $('marker').hidden = false;
}

function select(begin, end) {
  const range = document.createRange();
  range.setStart(...pointOf(begin));
  range.setEnd(...pointOf(end));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  choose(begin, end);
  const box = range.getBoundingClientRect();
  if (box.top < 90 || box.bottom > innerHeight - 110) scrollBy(0, box.top - innerHeight / 2);
}

let anchor = null, head = null;
function word(step, extend) {
  const all = [...documents[at].t.matchAll(WORD)].map(m => [m.index, m.index + m[0].length]);
  if (!all.length) return;
  if (!chosen) { anchor = head = null; }
  if (head === null) {
    head = step > 0 ? 0 : all.length - 1;
    if (chosen) head = Math.max(0, all.findIndex(([, e]) => e > chosen[0]));
    anchor = head;
  } else {
    head = Math.max(0, Math.min(all.length - 1, head + step));
    if (!extend) anchor = head;
  }
  select(Math.min(all[anchor][0], all[head][0]), Math.max(all[anchor][1], all[head][1]));
}

function confirm() {
  if (!chosen) return;
  lastKind = $('kind').value;
  const [begin, end] = chosen;
  release();
  mark(begin, end, lastKind);
  text.focus({preventScroll: true});
}

function resize(step) {
  const size = Math.max(.8, Math.min(2.6, parseFloat(getComputedStyle(document.body).getPropertyValue('--size')) + step));
  document.body.style.setProperty('--size', `${size}rem`);
}

document.addEventListener('selectionchange', () => {
  const picked = getSelection();
  if (!picked.rangeCount || picked.isCollapsed) return;
  const range = picked.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return;
  choose(offsetOf(range.startContainer, range.startOffset), offsetOf(range.endContainer, range.endOffset));
});
text.addEventListener('mousedown', () => { anchor = head = null; if (chosen) release(); });
text.addEventListener('click', event => {
  const leak = event.target.closest('mark.leak');
  if (leak && getSelection().isCollapsed) say('Remove it in the list of leaks.');
});

const keys = {
  n: () => show(at + 1), p: () => show(at - 1), u: nextUnread, Enter: () => done(true),
  ArrowRight: e => word(1, e.shiftKey), ArrowLeft: e => word(-1, e.shiftKey),
  l: () => { if (chosen) $('kind').focus(); else say('Select the words that leak first.'); },
  '+': () => resize(.1), '-': () => resize(-.1), s: download, Escape: release,
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('hello').open) return;
  const tag = event.target.tagName;
  if (event.target.id === 'kind') {
    if (event.key === 'Enter') { event.preventDefault(); confirm(); }
    if (event.key === 'Escape') { release(); text.focus({preventScroll: true}); }
    return;
  }
  if (tag === 'INPUT' || (tag === 'BUTTON' && (event.key === 'Enter' || event.key === ' ')) || tag === 'SUMMARY') return;
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(event); }
});

for (const [name, told, is] of kinds) {
  if (!name.includes('_')) $('kind').append(make('optgroup', {label: name}));
  $('kind').lastChild.append(make('option', {value: name, textContent: `${name}: ${told}${is ? ' (direct)' : ''}`}));
}
for (const [id, act] of Object.entries({
  next: keys.n, previous: keys.p, done: keys.Enter, undo: () => change(at, {done: false}), unread: nextUnread,
  larger: keys['+'], smaller: keys['-'], save: download, mark: confirm, cancel: release,
  other: () => $('hello').showModal(),
})) $(id).addEventListener('click', act);
$('note').addEventListener('input', () => change(at, {note: $('note').value}));
$('hello').addEventListener('cancel', event => { if (!reader) event.preventDefault(); });
$('hello').querySelector('form').addEventListener('submit', () => enter($('initials').value.trim()));
$('bar').max = documents.length;
$('initials').value = storage.get(place('')) ?? '';
$('hello').showModal();
