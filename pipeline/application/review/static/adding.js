// Select text with the mouse, a keyboard caret or the search. The selection can become a span.

import {chip, make} from './dialogs.js';
import {character, word} from './moving.js';
import {named} from './text.js';

const $ = id => document.getElementById(id);

export class Adding {
  // `add([begin, end], kind or null)` creates a span, and asks for the kind if it is null
  constructor(view, add) {
    this.view = view;
    this.add = add;
    this.text = '';
    this.recent = () => [];
    this.caret = null; // {anchor, at} during keyboard selection
    this.hits = [];
  }

  // Sets the text of another document, and resets the selection.
  load(text) {
    this.text = text;
    this.leave();
    this.hide();
    this.hits = [];
    $('search').value = $('search-told').textContent = '';
  }

  // -- the mouse: a bar of kinds next to the selection --

  show() {
    const selected = this.view.selected();
    const box = $('adding');
    if (!selected || this.caret) return this.hide();
    const recent = this.recent();
    const kinds = recent.length ? recent.slice(0, 4) : ['PERSON', 'DATE', 'LOCATION', 'ID'];
    box.replaceChildren(...kinds.map(kind => {
      const button = make('button', 'plain', chip(kind));
      button.type = 'button';
      button.setAttribute('aria-label', `Add as ${named(kind)}`);
      button.addEventListener('click', () => this.add(selected, kind));
      return button;
    }));
    const more = make('button', '', 'Other kind ', make('kbd', '', 'c'));
    more.type = 'button';
    more.addEventListener('click', () => this.add(selected, null));
    box.append(more);
    box.hidden = false;
    const last = this.view.rectangle(selected[1]);
    const frame = $('text').getBoundingClientRect();
    box.style.left = Math.max(frame.left + 4, Math.min(last.left - 40, frame.right - box.offsetWidth - 12)) + 'px';
    box.style.top = (last.bottom + 6 + box.offsetHeight > frame.bottom ? last.top - box.offsetHeight - 6 : last.bottom + 6) + 'px';
  }

  hide() {
    $('adding').hidden = true;
  }

  // -- the keyboard: a caret --

  enter(offset) {
    const selected = this.view.selected();
    const at = selected ? selected[1] : offset;
    this.caret = {anchor: selected ? selected[0] : at, at};
    document.body.classList.add('selecting');
    $('text').focus({preventScroll: true});
    this.draw();
    $('say').textContent = 'Caret in the text. Shift and arrows select, Enter adds a span, Escape leaves.';
  }

  leave() {
    this.caret = null;
    document.body.classList.remove('selecting');
    this.view.hideCaret();
  }

  draw() {
    const {anchor, at} = this.caret;
    this.view.showCaret(at);
    if (anchor === at) getSelection().removeAllRanges();
    else this.view.select(Math.min(anchor, at), Math.max(anchor, at));
  }

  // Returns true if the caret handled the key.
  key(e) {
    if (!this.caret) return false;
    if (e.key === 'Escape') {
      this.leave();
      getSelection().removeAllRanges();
      return true;
    }
    const digit = /^[1-9]$/.test(e.key);
    if (e.key === 'Enter' || e.key === 'c' || digit) {
      const selected = this.view.selected();
      if (selected) this.add(selected, digit ? this.recent()[e.key - 1] || null : null);
      return true;
    }
    const at = this.to(e.key, e.ctrlKey || e.metaKey || e.altKey);
    if (at === null) return false;
    this.caret = {anchor: e.shiftKey ? this.caret.anchor : at, at};
    this.draw();
    return true;
  }

  // Returns the new offset for a key; null for other keys.
  to(key, byWord) {
    const {text, caret: {at}} = this;
    const next = byWord ? word : character;
    switch (key) {
      case 'ArrowRight': return next(text, at, 1);
      case 'ArrowLeft': return next(text, at, -1);
      case 'ArrowDown': return this.view.line(at, 1);
      case 'ArrowUp': return this.view.line(at, -1);
      case 'Home': return text.lastIndexOf('\n', at - 1) + 1;
      case 'End': return text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
      default: return null;
    }
  }

  // -- the search --

  search(step) {
    const asked = $('search').value;
    if (!asked) {
      $('search-told').textContent = '';
      return;
    }
    if (this.hits.asked !== asked) {
      const pattern = new RegExp(asked.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
      this.hits = [...this.text.matchAll(pattern)].map(m => [m.index, m.index + m[0].length]);
      this.hits.asked = asked;
      this.hits.at = step > 0 ? -1 : 0;
    }
    const {hits} = this;
    if (!hits.length) {
      $('search-told').textContent = 'not found';
      return;
    }
    hits.at = (hits.at + step + hits.length) % hits.length;
    const [b, e] = hits[hits.at];
    this.view.reveal(b);
    this.view.select(b, e);
    const box = this.view.rectangle(b), frame = $('text').getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) $('text').scrollTop += box.top - frame.top - frame.height / 2;
    $('search-told').textContent = `${hits.at + 1}/${hits.length}`;
  }
}
