// Dialogs: the kind, other occurrences of the same words, all keys.

import {kindClass, learnKinds} from './text.js';

const $ = id => document.getElementById(id);

const KEYS = [
  ['Spans', [
    ['j  n', 'next span'], ['k  p', 'previous span'], ['o', 'next open span'], ['a', 'accept; restore a removed span'],
    ['r', 'reject'], ['c', 'change the kind; digits pick a recent one'], ['s', 'the same for the same words'],
  ]],
  ['Bounds', [
    ['Shift ← →', 'end, by a character'], ['Alt ← →', 'begin, by a character'], ['with Ctrl or ⌘', 'by a word'],
  ]],
  ['Add a span', [
    ['i', 'caret in the text: arrows move it, with Ctrl by words, with Shift they select'],
    ['c  Enter', 'kind of the selection; a digit picks a recent kind'], ['/', 'search: Enter selects the next hit'],
  ]],
  ['Documents', [
    ['d', 'accept what is open, done, next document'], [']  [', 'next, previous document'], ['f', 'filters'],
    ['u  Ctrl Z', 'take back'], ['Shift U', 'do again'],
  ]],
  ['View', [['v', 'show removed spans'], ['m', 'masked text on and off'], ['Escape', 'clear the selection'], ['?', 'this list']]],
];

const CHOICES = ['Differences', [['1', 'left annotator'], ['2', 'right annotator'], ['3', 'both'], ['4', 'neither']]];

export function setUpHelp(adjudicating) {
  const sections = adjudicating ? [CHOICES, ...KEYS] : KEYS;
  $('help-keys').replaceChildren(...sections.map(([title, rows]) => {
    const section = make('section', '', make('h3', '', title));
    const list = make('dl', '');
    for (const [keys, what] of rows) {
      const head = make('dt', '');
      keys.split('  ').forEach(key => head.append(make('kbd', '', key), ' '));
      list.append(make('div', '', head, make('dd', '', what)));
    }
    section.append(list);
    return section;
  }));
}

export function make(tag, css, ...children) {
  const made = document.createElement(tag);
  if (css) made.className = css;
  made.append(...children);
  return made;
}

export function chip(kind, ...more) {
  return make('span', `chip ${kindClass(kind)}`, kind, ...more);
}

// Asks for a kind; resolves to its name or to null.
export class KindChooser {
  constructor(kinds) {
    this.kinds = kinds;
    learnKinds(kinds);
    this.recent = kept();
    this.dialog = $('kind-dialog');
    this.input = $('kind-input');
    this.list = $('kind-list');
    this.input.addEventListener('input', () => this.draw());
    this.dialog.addEventListener('keydown', e => this.key(e));
    this.dialog.addEventListener('click', e => { if (e.target === this.dialog) this.dialog.close(); });
    this.dialog.addEventListener('close', () => this.settle(null));
  }

  ask(title) {
    $('kind-title').textContent = title;
    this.input.value = '';
    this.draw();
    this.dialog.showModal();
    this.input.focus();
    return new Promise(resolve => { this.resolve = resolve; });
  }

  settle(kind) {
    const resolve = this.resolve;
    this.resolve = null;
    if (kind) this.remember(kind);
    if (this.dialog.open) this.dialog.close();
    if (resolve) resolve(kind);
  }

  remember(kind) {
    this.recent = [kind, ...this.recent.filter(k => k !== kind)].slice(0, 9);
    try { sessionStorage.setItem('caspipe-kinds', JSON.stringify(this.recent)); } catch { /* storage is not available: the list is not kept */ }
  }

  draw() {
    const asked = this.input.value.trim().toLowerCase().replaceAll(' ', '_');
    const by = new Map(this.kinds.map(k => [k.name, k]));
    const recent = this.recent.filter(name => by.has(name));
    const all = asked
      ? this.kinds.map(k => [rank(k, asked), k]).filter(([r]) => r < 9).sort((x, y) => x[0] - y[0]).map(([, k]) => k)
      : [...recent.map(name => by.get(name)), ...this.kinds.filter(k => !recent.includes(k.name))];
    this.shown = all;
    this.at = 0;
    this.list.replaceChildren(...all.map((kind, n) => {
      const option = make('li', '', make('kbd', n < recent.length && !asked ? '' : 'none', n < recent.length && !asked ? String(n + 1) : ''),
        chip(kind.name), make('span', 'told', kind.about));
      option.id = 'kind-' + n;
      option.setAttribute('role', 'option');
      option.addEventListener('click', () => this.settle(kind.name));
      return option;
    }));
    if (!all.length) this.list.replaceChildren(make('li', 'told', 'No kind is called so.'));
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((option, n) => option.setAttribute('aria-selected', this.shown.length > 0 && n === this.at));
    this.input.setAttribute('aria-activedescendant', this.shown.length ? 'kind-' + this.at : '');
    if (this.list.children[this.at]) this.list.children[this.at].scrollIntoView({block: 'nearest'});
  }

  key(e) {
    e.stopPropagation();
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      this.at = (this.at + (e.key === 'ArrowDown' ? 1 : -1) + this.shown.length) % Math.max(1, this.shown.length);
      this.mark();
      e.preventDefault();
    } else if (e.key === 'Enter') {
      e.preventDefault();
      if (this.shown[this.at]) this.settle(this.shown[this.at].name);
    } else if (/^[1-9]$/.test(e.key) && !this.input.value && this.recent[e.key - 1]) {
      e.preventDefault();
      this.settle(this.recent[e.key - 1]);
    }
  }
}

function kept() {
  try { return JSON.parse(sessionStorage.getItem('caspipe-kinds')) || []; } catch { return []; }
}

// Returns true if each piece is a prefix of a part, in order: `loc_ci`, `p_doc`.
function inParts(parts, asked) {
  let at = 0;
  return asked.every(piece => {
    while (at < parts.length && !parts[at].startsWith(piece)) at++;
    return at++ < parts.length;
  });
}

function rank(kind, asked) {
  const name = kind.name.toLowerCase();
  if (name === asked) return 0;
  if (name.startsWith(asked)) return 1;
  if (name.split('_').some(part => part.startsWith(asked))) return 2;
  if (name.includes(asked) || inParts(name.split('_'), asked.split('_'))) return 3;
  return kind.about.toLowerCase().includes(asked.replaceAll('_', ' ')) ? 4 : 9;
}

// Asks for the scope; resolves to 'here', 'all' or null.
export function askSame(what, counts) {
  const dialog = $('same-dialog');
  const occurrences = n => n.added + n.changed;
  const count = n => `${occurrences(n)} occurrence${occurrences(n) === 1 ? '' : 's'}`;
  $('same-what').replaceChildren(...what);
  $('same-here').textContent = `In this document: ${count(counts.here)}`;
  $('same-all').textContent = `In all documents: ${count(counts.all)} in ${counts.all.documents} document${counts.all.documents === 1 ? '' : 's'}`;
  $('same-here').disabled = !occurrences(counts.here);
  $('same-all').disabled = !occurrences(counts.all);
  $('same-left').textContent = counts.all.left ? `${counts.all.left} more are in spans with other bounds; those stay.` : '';
  return new Promise(resolve => {
    const end = answer => {
      dialog.onclose = null;
      if (dialog.open) dialog.close();
      resolve(answer);
    };
    $('same-here').onclick = () => end('here');
    $('same-all').onclick = () => end('all');
    dialog.onkeydown = e => e.stopPropagation();
    dialog.onclose = () => end(null);
    dialog.showModal();
    (occurrences(counts.here) ? $('same-here') : $('same-all')).focus();
  });
}
