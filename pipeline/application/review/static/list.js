// The list of documents: filters, progress, and elements only for the visible rows.

import {make} from './dialogs.js';
import {topOf} from './text.js';

const $ = id => document.getElementById(id);
const HEIGHT = 46;

export class List {
  constructor(open, changed) {
    this.open = open;
    this.changed = changed;
    this.rows = [];
    this.shown = [];
    this.current = -1;
    this.box = $('docs');
    this.runway = $('runway');
    this.box.addEventListener('scroll', () => this.draw());
    addEventListener('resize', () => this.draw());
    this.box.addEventListener('click', e => {
      const item = e.target.closest('[data-i]');
      if (item) this.open(Number(item.dataset.i));
    });
    this.box.addEventListener('keydown', e => this.key(e));
    $('filters').addEventListener('input', () => this.filter());
    $('filters').addEventListener('change', () => this.filter());
  }

  take(rows) {
    for (const row of rows) this.rows[row.i] = row;
    this.filter();
    this.changed(this.rows);
  }

  get filters() {
    return {
      words: $('find-doc').value.trim().toLowerCase(),
      which: document.querySelector('input[name=which]:checked').value,
      kind: $('f-kind').value,
      low: $('f-low').checked,
      threshold: Number($('threshold').value) || 0,
      disputed: $('f-disputed').checked,
      leaks: $('f-leaks').checked,
      differ: $('f-differ').checked,
    };
  }

  // Returns true if navigation stops at a span.
  wants(s) {
    const f = this.filters;
    return (!f.kind || s.k === f.kind || topOf(s.k) === f.kind) && (!f.low || (s.s === 'open' && (s.c ?? 1) < f.threshold))
      && (!f.disputed || (s.d && s.s === 'open')) && (!f.leaks || s.s === 'leak');
  }

  filter() {
    const f = this.filters;
    const ofKind = kinds => Object.keys(kinds).some(k => k === f.kind || topOf(k) === f.kind);
    const fits = row => {
      if (row.i === this.current) return true; // the current document is always shown
      if (f.words && !row.id.toLowerCase().includes(f.words)) return false;
      const asks = f.kind || f.low || f.disputed || f.leaks || f.differ;
      if (row.kinds === undefined) return !asks && (f.which === 'all' || (f.which === 'todo' && !row.fault && !row.waiting));
      return (f.which === 'all' || (f.which === 'done') === row.done) && (!f.kind || ofKind(row.kinds)) && (!f.low || row.low < f.threshold)
        && (!f.disputed || row.disputed > 0) && (!f.leaks || row.leaks > 0) && (!f.differ || row.differ > 0);
    };
    this.shown = this.rows.filter(fits);
    this.runway.style.height = this.shown.length * HEIGHT + 'px';
    const told = this.shown.length === this.rows.length ? `${this.rows.length.toLocaleString('en')} document${this.rows.length === 1 ? '' : 's'}`
      : `${this.shown.length.toLocaleString('en')} of ${this.rows.length.toLocaleString('en')} document${this.rows.length === 1 ? '' : 's'}`;
    if ($('docs-told').textContent !== told) $('docs-told').textContent = told;
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - 6);
    const last = Math.min(this.shown.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / HEIGHT) + 6);
    const items = [];
    for (let n = first; n < last; n++) items.push(this.item(this.shown[n], n));
    this.runway.replaceChildren(...items);
    const active = this.shown.some(r => r.i === this.current) ? 'doc-' + this.current : '';
    this.box.setAttribute('aria-activedescendant', active);
  }

  item(row, n) {
    const state = row.fault ? 'fault' : row.waiting ? 'waiting' : row.done ? 'done' : '';
    const item = make('div', `doc ${state}${row.i === this.current ? ' on' : ''}`);
    item.style.top = n * HEIGHT + 'px';
    item.dataset.i = row.i;
    item.id = 'doc-' + row.i;
    item.setAttribute('role', 'option');
    item.setAttribute('aria-selected', row.i === this.current);
    item.setAttribute('aria-posinset', n + 1);
    item.setAttribute('aria-setsize', this.shown.length);
    const facts = row.fault ? 'cannot be reviewed' : row.waiting ? 'waits for both' : row.kinds === undefined ? 'reading'
      : row.done ? `${row.live} spans` : row.differ ? `${row.differ} to choose` : `${row.open} of ${row.live} open`;
    const badges = make('span', 'badges');
    if (row.leaks) badges.append(badge('leaks', row.leaks, 'possible leaks'));
    if (row.quarantined) badges.append(badge('quarantined', 'Q', `in quarantine: ${row.quarantined}`));
    if (row.differ && row.done) badges.append(badge('differ', row.differ, 'others see it otherwise'));
    const mark = make('span', 'state', row.done ? '✓' : row.fault ? '!' : '');
    mark.setAttribute('aria-label', row.done ? 'done' : row.fault || '');
    item.append(mark, make('span', 'name', row.id), make('span', 'facts', facts), badges);
    item.title = row.fault || row.id;
    return item;
  }

  // Returns the next document that matches the filters; `todo`: only unfinished ones.
  next(step, todo) {
    const at = this.shown.findIndex(r => r.i === this.current);
    for (let n = at + step; n >= 0 && n < this.shown.length; n += step) {
      const row = this.shown[n];
      if (!row.fault && !row.waiting && !(todo && row.done)) return row.i;
    }
    if (todo) {
      const early = this.shown.find(r => !r.fault && !r.waiting && !r.done && r.i !== this.current);
      return early ? early.i : -1;
    }
    return -1;
  }

  choose(number) {
    this.current = number;
    this.filter();
    const at = this.shown.findIndex(r => r.i === number);
    const top = at * HEIGHT;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + HEIGHT > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + HEIGHT - this.box.clientHeight;
    this.draw();
  }

  key(e) {
    const step = {ArrowDown: 1, ArrowUp: -1}[e.key];
    if (!step || e.shiftKey || e.altKey || e.ctrlKey) return;
    const next = this.next(step, false);
    if (next >= 0) this.open(next);
    e.preventDefault();
    e.stopPropagation();
  }
}

function badge(css, count, what) {
  const made = make('span', `badge ${css}`, String(count));
  made.title = typeof count === 'number' ? `${count} ${what}` : what;
  made.setAttribute('aria-label', made.title);
  return made;
}
