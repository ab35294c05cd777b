// Status of the page: saving, progress, and the last message.

import {chip, make} from './dialogs.js';
import {isLive} from './text.js';

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

// Shows the status of the current document; `waiting`: differences without a choice.
export function tellDocument(doc, all, waiting) {
  const live = all.filter(isLive), open_ = live.filter(s => s.s === 'open');
  const facts = [`${doc.text.length.toLocaleString('en')} characters`, `${live.length} spans`];
  if (open_.length) facts.push(`${open_.length} open`);
  if (waiting) facts.push(`${waiting} difference${waiting === 1 ? '' : 's'} to choose`);
  if (doc.quarantined) facts.push(`in quarantine: ${doc.quarantined}`);
  const leaks = all.filter(s => s.s === 'leak').length;
  if (leaks) facts.push(`${leaks} possible leak${leaks === 1 ? '' : 's'}`);
  const out = all.filter(s => s.s === 'suggested').length;
  if (out) facts.push(`${out} removed`);
  if (doc.done) facts.push('done');
  $('doc-facts').textContent = facts.join(' · ');
  $('doc-facts').classList.toggle('quarantined', Boolean(doc.quarantined));
  $('done').replaceChildren(doc.done ? 'Reopen' : 'Done ', ...(doc.done ? [] : [make('kbd', '', 'd')]));
  $('done').classList.toggle('primary', !doc.done);
  const counts = new Map();
  for (const s of live) {
    const top = s.k.split('_')[0];
    counts.set(top, (counts.get(top) || 0) + 1);
  }
  $('legend').replaceChildren(...[...counts].sort().map(([kind, n]) => chip(kind, ' ', make('b', '', String(n)))));
}

// Shows the fixed part: the annotator and the project.
export function setUpPage(start) {
  $('who').textContent = start.two ? `${start.annotator}, between ${start.two[0]} and ${start.two[1]}` : start.annotator;
  $('threshold').value = start.threshold;
  if (start.two) {
    document.body.classList.add('adjudicating');
    $('left-name').textContent = start.two[0];
    $('right-name').textContent = $('masked-label').textContent = start.two[1];
    $('f-differ-label').querySelector('span').textContent = 'Differences open';
  }
  for (const kind of start.kinds) $('f-kind').append(new Option(kind.name, kind.name));
}
