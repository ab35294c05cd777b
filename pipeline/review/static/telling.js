// What the page says of itself: whether everything is saved, how far one is, what just happened.

import {make} from './dialogs.js';

const $ = id => document.getElementById(id);

export function showSaved(state, waiting) {
  const told = {
    saved: 'Saved', saving: 'Saving', unsaved: `Not saved: ${waiting} waiting, trying again`,
    locked: 'Server restarted: open its new address',
  }[state];
  const box = $('saved');
  box.className = `saved ${state}`;
  if (box.textContent !== told) box.textContent = told;
}

let hiding = 0;

export function toast(message, css = '', undoable = false) {
  const box = $('toast');
  box.className = `toast ${css}`;
  box.replaceChildren(message, ...(undoable ? [' ', make('kbd', '', 'u'), ' takes it back'] : []));
  box.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { box.hidden = true; }, 4500);
}

export function depth([back, again]) {
  $('undo').disabled = !back;
  $('redo').disabled = !again;
}

export function progress(rows) {
  const done = rows.filter(r => r.done).length;
  const share = rows.length ? done / rows.length : 0;
  $('progress-bar').style.width = `${100 * share}%`;
  $('progress').setAttribute('aria-valuenow', done);
  $('progress').setAttribute('aria-valuemax', rows.length);
  $('progress-told').textContent = `${done.toLocaleString('en')} of ${rows.length.toLocaleString('en')} done`;
}
