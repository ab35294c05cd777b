// The review page: one document at a time, one span at a time, by keyboard or mouse. Everything that is decided goes to the server
// at once; the page shows what the server answers.

import {Adding} from './adding.js';
import {KindChooser, askSame, chip, make, setUpHelp} from './dialogs.js';
import {List} from './list.js';
import {Panel, announced} from './panel.js';
import {Line, Refused} from './saving.js';
import {depth, progress, showSaved, toast} from './telling.js';
import {TextView, isLive, moved, named} from './text.js';

const $ = id => document.getElementById(id);
const MANY = 20000; // spans; with more of them the page shows what the server has confirmed

let start; // what the server says of itself
let doc = null; // the document that is shown
let spans = new Map(); // its spans by id, possible leaks too
let chosen = null; // id of the chosen span
let version = 0;
const line = new Line(showSaved);
const view = new TextView($('text'), $('caret'));
const list = new List(open, progress);
const panel = new Panel({accept: () => decide('accept'), reject: () => decide('reject'), kind: changeKind, same: sameWords, move, choose});
const adding = new Adding(view, addSelected);
let kinds;

// -- documents --------------------------------------------------------------------------------------------------------

async function open(number, focus = '') {
  if (number < 0 || number >= start.total) return;
  let found;
  try {
    found = await line.get(`api/doc/${number}`);
  } catch (error) {
    if (error instanceof Refused) {
      list.choose(number);
      blank(number, error.message);
    } else {
      toast('The server does not answer; this document cannot be opened now.');
    }
    return;
  }
  doc = found;
  adding.load(found.text);
  take(found);
  list.choose(number);
  history.replaceState(null, '', '#' + number);
  $('doc-name').textContent = found.id;
  document.title = `${found.id} · caspipe review`;
  draw();
  const first = spans.has(focus) ? focus : (stops().find(s => s.s === 'open' || s.s === 'left' || s.s === 'right') || stops()[0] || {id: null}).id;
  choose_(first, true);
}

function blank(number, message) {
  doc = null;
  spans = new Map();
  chosen = null;
  history.replaceState(null, '', '#' + number);
  $('doc-name').textContent = list.rows[number] ? list.rows[number].id : '';
  $('doc-facts').textContent = '';
  $('legend').replaceChildren();
  view.load('', [], [], null);
  $('text').replaceChildren(make('p', 'blank', message));
  panel.show(null);
}

function take(found) {
  spans = new Map(found.spans.map(s => [s.id, s]));
  takeLeaks(found);
}

function takeLeaks(found) {
  doc.done = found.done;
  for (const [id, span] of spans) if (span.s === 'leak') spans.delete(id);
  for (const leak of found.leaks) spans.set(leak.id, {...leak, s: 'leak', m: []});
}

function visible() {
  const suggested = $('show-suggested').checked;
  return [...spans.values()].filter(s => (suggested || s.s !== 'suggested') && (s.id[0] !== 'l' || s.s === 'leak'));
}

function draw() {
  view.load(doc.text, visible(), doc.strays, start.two);
  view.chosen = chosen;
  tell();
}

function redraw(ids) {
  const there = ids.map(id => spans.get(id)).filter(Boolean);
  const begin = Math.min(...there.map(s => s.b), ...redraw.also.map(s => s.b)), end = Math.max(...there.map(s => s.e), ...redraw.also.map(s => s.e));
  redraw.also = [];
  if (begin <= end) view.update(visible(), begin, end);
  tell();
}
redraw.also = [];

function tell() {
  const all = [...spans.values()];
  const live = all.filter(isLive), open_ = live.filter(s => s.s === 'open');
  const facts = [`${doc.text.length.toLocaleString('en')} characters`, `${live.length} spans`];
  if (open_.length) facts.push(`${open_.length} open`);
  const waiting = openDifferences().length;
  if (waiting) facts.push(`${waiting} difference${waiting === 1 ? '' : 's'} to choose`);
  const leaks = all.filter(s => s.s === 'leak').length;
  if (leaks) facts.push(`${leaks} possible leak${leaks === 1 ? '' : 's'}`);
  const out = all.filter(s => s.s === 'suggested').length;
  if (out) facts.push(`${out} taken out`);
  if (doc.done) facts.push('done');
  $('doc-facts').textContent = facts.join(' · ');
  $('done').replaceChildren(doc.done ? 'Reopen' : 'Done ', ...(doc.done ? [] : [make('kbd', '', 'd')]));
  $('done').classList.toggle('primary', !doc.done);
  const counts = new Map();
  for (const s of live) {
    const top = s.k.split('_')[0];
    counts.set(top, (counts.get(top) || 0) + 1);
  }
  $('legend').replaceChildren(...[...counts].sort().map(([kind, n]) => chip(kind, ' ', make('b', '', String(n)))));
}

// -- spans ------------------------------------------------------------------------------------------------------------

function openDifferences() {
  return (doc.differences || []).filter(d => [...d.left, ...d.right].some(id => ['left', 'right'].includes(spans.get(id).s)));
}

function differenceOf(span) {
  const number = (doc.differences || []).findIndex(d => d.left.includes(span.id) || d.right.includes(span.id));
  if (number < 0) return null;
  const d = doc.differences[number];
  const found = ids => ids.map(id => ({...spans.get(id), ...(spans.get(id).was ? {b: spans.get(id).was[0], e: spans.get(id).was[1], k: spans.get(id).was[2]} : {})}));
  return {number, left: found(d.left), right: found(d.right)};
}

// the spans that one steps through, in text order
function stops() {
  const f = list.filters;
  const any = f.kind || f.low || f.disputed || f.leaks;
  const fits = s => (!f.kind || s.k === f.kind || s.k.startsWith(f.kind + '_')) && (!f.low || (s.s === 'open' && (s.c ?? 1) < f.threshold))
    && (!f.disputed || (s.d && s.s === 'open')) && (!f.leaks || s.s === 'leak');
  const all = visible().filter(s => !start.two || s.s !== 'rejected' || s.id[0] === 'L' || s.id[0] === 'R');
  const found = any ? all.filter(s => s.id === chosen || fits(s)) : all;
  return found.sort((x, y) => x.b - y.b || y.e - x.e || (x.id < y.id ? -1 : 1));
}

function choose_(id, focus = false) {
  const span = id ? spans.get(id) : null;
  chosen = span ? id : null;
  view.choose(span || null, focus);
  const all = stops();
  const at = all.findIndex(s => s.id === chosen);
  $('count').textContent = span ? `${at + 1} of ${all.length}` : `${all.length} spans`;
  panel.show(span || null, doc ? doc.text : '', () => line.get(`api/doc/${doc.i}/why?span=${encodeURIComponent(id)}`),
    span && start.two ? differenceOf(span) : null, start.two);
  if (span) $('say').textContent = announced(span, doc.text, at + 1, all.length);
}

function step(by, which = () => true) {
  const all = stops();
  if (!all.length) return;
  let at = all.findIndex(s => s.id === chosen);
  if (at < 0 && by < 0) at = all.length;
  for (let n = 1; n <= all.length; n++) {
    const next = all[(at + by * n + all.length * 2) % all.length];
    if (which(next)) return choose_(next.id, true);
  }
}

// -- decisions --------------------------------------------------------------------------------------------------------

async function send(op, given = {}) {
  const number = doc.i;
  try {
    const answer = await line.post('api/decide', {op, doc: number, shown: number, ...given});
    settle(answer, number);
    return answer;
  } catch (error) {
    toast(error.message, 'bad');
    if (doc && doc.i === number) await open(number, chosen);
    return null;
  }
}

function settle(answer, number) {
  list.take(answer.rows);
  depth(answer.depth);
  if (answer.said) toast(answer.said, '', answer.depth[0] > 0);
  if (!doc || doc.i !== number) return;
  if (answer.reload) {
    open(number, chosen);
  } else if (answer.delta && answer.delta.i === number) {
    const before = new Set([...spans.values()].filter(s => s.s === 'leak').map(s => s.id));
    const ids = Object.keys(answer.delta.spans);
    redraw.also.push(...ids.map(id => spans.get(id)).filter(Boolean));
    for (const id of before) redraw.also.push(spans.get(id));
    for (const id of ids) {
      if (answer.delta.spans[id]) spans.set(id, answer.delta.spans[id]);
      else spans.delete(id);
    }
    takeLeaks(answer.delta);
    const leaks = [...spans.values()].filter(s => s.s === 'leak').map(s => s.id);
    redraw([...ids, ...leaks]);
    if (chosen && !spans.has(chosen)) choose_(spans.has(answer.span) ? answer.span : null);
    else if (chosen) choose_(chosen);
  }
}

async function decide(op) {
  const span = spans.get(chosen);
  if (!span || !doc) return;
  const id = chosen;
  if (spans.size < MANY && span.s !== 'leak' && span.s !== 'left' && span.s !== 'right') { // shown at once, confirmed in a moment
    spans.set(id, {...span, s: op === 'accept' ? 'accepted' : 'rejected', m: op === 'accept' ? span.m : []});
    redraw.also.push(span);
    redraw([id]);
  }
  const all = stops();
  const at = all.findIndex(s => s.id === id);
  const next = all.slice(at + 1).find(s => s.id !== id);
  if (next) choose_(next.id, true);
  else choose_(id, true);
  await send(op, {span: id});
}

async function changeKind() {
  const selected = view.selected();
  if (selected) return addSelected(selected);
  const span = spans.get(chosen);
  if (!span) return;
  const kind = await kinds.ask(`Kind, now ${named(span.k)}`);
  refocus();
  if (kind) await setKind(kind);
}

async function setKind(kind) {
  const answer = await send('kind', {span: chosen, kind});
  if (answer) choose_(answer.span || chosen, true);
}

async function addSelected(selected, kind = null) {
  kind = kind || await kinds.ask('Kind of the new span');
  if (!kind) return refocus();
  kinds.remember(kind);
  adding.leave();
  adding.hide();
  getSelection().removeAllRanges();
  const answer = await send('add', {begin: selected[0], end: selected[1], kind});
  if (answer) choose_(answer.span, true);
}

async function move(side, by, byWord = false) {
  const span = spans.get(chosen);
  if (!span || !isLive(span)) return;
  const bounds = moved(doc.text, span, side, by, byWord);
  if (!bounds || (bounds[0] === span.b && bounds[1] === span.e)) return;
  spans.set(chosen, {...span, b: bounds[0], e: bounds[1]}); // the next press goes on from here
  await send('move', {span: chosen, begin: bounds[0], end: bounds[1]});
}

async function sameWords() {
  const span = spans.get(chosen);
  if (!span) return;
  if (!isLive(span) && span.s !== 'rejected') return toast('Accept or reject it first; then the same for the same words.');
  const number = doc.i;
  const id = chosen;
  let counts;
  try {
    counts = await line.get(`api/doc/${number}/same?span=${encodeURIComponent(id)}`);
  } catch (error) {
    return toast(error.message || 'The server does not answer.', 'bad');
  }
  const words = make('q', '', doc.text.slice(span.b, Math.min(span.e, span.b + 120)));
  const what = isLive(span) ? [words, ' becomes ', chip(span.k), ' wherever it stands:'] : [words, ' is rejected wherever it was found as ', chip(span.k.split('_')[0]), ':'];
  const where = await askSame(what, counts);
  refocus();
  if (where) await send('same', {span: id, scope: where});
}

async function choose(side) {
  const span = spans.get(chosen);
  const difference = span && differenceOf(span);
  if (!difference) return;
  const answer = await send('choose', {difference: difference.number, side});
  if (!answer) return;
  const all = stops();
  const at = all.findIndex(s => s.id === chosen);
  const next = [...all.slice(at + 1), ...all].find(s => s.s === 'left' || s.s === 'right');
  choose_(next ? next.id : chosen, true);
}

async function undo(redo) {
  if (!doc) return;
  const number = doc.i;
  try {
    const answer = await line.post('api/undo', {doc: number, redo});
    list.take(answer.rows);
    depth(answer.depth);
    if (answer.doc !== number) {
      await open(answer.doc, answer.span);
      toast(redo ? 'Done again, in this document' : 'Taken back, in this document');
    } else {
      settle(answer, number);
      toast(redo ? 'Done again' : 'Taken back');
      if (spans.has(answer.span)) choose_(answer.span, true);
    }
  } catch (error) {
    toast(error.message);
  }
}

async function done() {
  if (!doc) return;
  if (doc.done) {
    const next = list.next(1, true);
    return next >= 0 ? open(next) : toast('Every document that the filters show is done.');
  }
  const answer = await send('done');
  if (!answer) return;
  const next = list.next(1, true);
  if (next >= 0) await open(next);
  else toast('Every document that the filters show is done.', 'good', true);
}

function refocus() {
  const mark = chosen && [...$('text').querySelectorAll('mark.on')][0];
  (mark || $('text')).focus({preventScroll: true});
}

// -- keys and mouse ---------------------------------------------------------------------------------------------------

const PLAIN = {
  j: () => step(1), n: () => step(1), k: () => step(-1), p: () => step(-1), o: () => step(1, s => ['open', 'left', 'right'].includes(s.s)),
  a: () => decide('accept'), r: () => decide('reject'), c: changeKind, s: sameWords, u: () => undo(false), U: () => undo(true), d: done,
  i: () => adding.enter(spans.has(chosen) ? spans.get(chosen).b : view.firstVisible()), v: () => toggle('show-suggested'), m: () => toggle('show-masked'), f: () => $('find-doc').focus(), '/': () => $('search').focus(),
  '?': () => $('help-dialog').showModal(), ']': () => open(list.next(1, false)), '[': () => open(list.next(-1, false)),
  1: () => choose('left'), 2: () => choose('right'), 3: () => choose('both'), 4: () => choose('none'),
  Enter: () => { if (view.selected()) changeKind(); },
  Escape: () => { getSelection().removeAllRanges(); adding.hide(); choose_(null); },
};

function toggle(id) {
  $(id).checked = !$(id).checked;
  $(id).dispatchEvent(new Event('change', {bubbles: true}));
}

document.addEventListener('keydown', e => {
  if (document.querySelector('dialog[open]') || e.isComposing) return;
  const inField = e.target.closest('input:not([type=checkbox]):not([type=radio]), select, textarea');
  if (inField) {
    if (e.key === 'Escape') { e.target.blur(); refocus(); }
    return;
  }
  if (adding.key(e)) return e.preventDefault();
  const ctrl = e.ctrlKey || e.metaKey;
  if (ctrl && !e.altKey && (e.key === 'z' || e.key === 'Z')) { e.preventDefault(); return undo(e.shiftKey); }
  if (ctrl && e.key === 'y') { e.preventDefault(); return undo(true); }
  if ((e.key === 'ArrowLeft' || e.key === 'ArrowRight') && (e.shiftKey || e.altKey) && chosen) {
    e.preventDefault();
    return move(e.altKey ? 'b' : 'e', e.key === 'ArrowRight' ? 1 : -1, ctrl);
  }
  if (ctrl || e.altKey) return;
  if (e.target.closest('button, label, #docs') && (e.key === 'Enter' || e.key === ' ' || e.key.startsWith('Arrow'))) return;
  const act = doc || '?[]f'.includes(e.key) ? PLAIN[e.key] : null;
  if (act) {
    e.preventDefault();
    act();
  }
});

$('text').addEventListener('mousedown', e => {
  const cell = e.target.closest('.cell');
  if (cell) $('text').dataset.selecting = cell.classList.contains('original') ? 'original' : 'masked';
  adding.leave();
});
$('text').addEventListener('click', e => {
  const mark = e.target.closest('mark[data-id]');
  if (mark && getSelection().isCollapsed) choose_(mark.dataset.id);
});
document.addEventListener('mouseup', () => setTimeout(() => { if (doc && !document.querySelector('dialog[open]')) adding.show(); }));
$('text').addEventListener('scroll', () => adding.hide());
$('previous').addEventListener('click', () => step(-1));
$('next').addEventListener('click', () => step(1));
$('previous-doc').addEventListener('click', () => open(list.next(-1, false)));
$('next-doc').addEventListener('click', () => open(list.next(1, false)));
$('done').addEventListener('click', () => (doc && doc.done ? send('reopen') : done()));
$('undo').addEventListener('click', () => undo(false));
$('redo').addEventListener('click', () => undo(true));
$('help').addEventListener('click', () => $('help-dialog').showModal());
$('help-dialog').addEventListener('click', e => { if (e.target === $('help-dialog')) $('help-dialog').close(); });
$('show-suggested').addEventListener('change', () => { if (doc) { draw(); choose_(chosen); } });
$('show-masked').addEventListener('change', () => {
  document.body.classList.toggle('single', !$('show-masked').checked);
});
$('filters').addEventListener('change', () => { if (doc) choose_(chosen); });
$('search').addEventListener('keydown', e => {
  if (e.key === 'Enter') { adding.search(e.shiftKey ? -1 : 1); e.preventDefault(); }
  if (e.key === 'Escape') { $('search').blur(); refocus(); e.stopPropagation(); }
});
$('export').addEventListener('click', async () => {
  try {
    const made = await line.ask('api/export', {method: 'POST'});
    toast(`${made.documents} documents that are done are written to ${made.folder}`, 'good');
  } catch (error) {
    toast(error.message || 'The server does not answer.', 'bad');
  }
});
addEventListener('hashchange', () => open(Number(location.hash.slice(1)) || 0));

// -- begin ------------------------------------------------------------------------------------------------------------

async function begin() {
  try {
    start = await line.get('api/start');
  } catch (error) {
    $('text').replaceChildren(make('p', 'blank', error.message || 'The server does not answer.'));
    return;
  }
  kinds = new KindChooser(start.kinds);
  adding.recent = () => kinds.recent;
  setUpHelp(Boolean(start.two));
  $('who').textContent = start.two ? `${start.annotator}, between ${start.two[0]} and ${start.two[1]}` : start.annotator;
  $('threshold').value = start.threshold;
  if (start.two) {
    document.body.classList.add('adjudicating');
    $('left-name').textContent = start.two[0];
    $('right-name').textContent = $('masked-label').textContent = start.two[1];
    $('f-differ-label').querySelector('span').textContent = 'Differences open';
  }
  for (const kind of start.kinds) $('f-kind').append(new Option(kind.name, kind.name));
  depth(start.depth);
  const all = await line.get('api/rows');
  list.rows = [];
  list.take(all.rows);
  version = all.version;
  showSaved('saved', 0);
  const wanted = location.hash ? Number(location.hash.slice(1)) : (all.rows.find(r => !r.done && !r.fault && !r.waiting) || {i: 0}).i;
  await open(Number.isInteger(wanted) && wanted < start.total ? wanted : 0);
  if (all.scanned < start.total) setTimeout(poll, 300);
}

async function poll() {
  let again = true;
  try {
    const some = await line.get(`api/rows?after=${version}`);
    version = some.version;
    if (some.rows.length) list.take(some.rows);
    again = some.scanned < start.total;
  } catch { /* the server is gone for a while */ }
  if (again) setTimeout(poll, 700);
}

begin();
