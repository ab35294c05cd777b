// The review page: one document at a time, one span at a time, by keyboard or mouse. Every decision is sent to the server
// immediately; the page shows the answer of the server.

import {Adding} from './adding.js';
import {differenceOf, openDifferences} from './differences.js';
import {KindChooser, askSame, chip, make, setUpHelp} from './dialogs.js';
import {listen, toggle} from './keys.js';
import {List} from './list.js';
import {moved} from './moving.js';
import {Panel, announced} from './panel.js';
import {Line, Refused, exportGold} from './saving.js';
import {depth, progress, setUpPage, showSaved, tellDocument, toast} from './telling.js';
import {TextView, isLive, named} from './text.js';

const $ = id => document.getElementById(id);
const MANY = 20000; // spans; with more of them the page waits for the confirmation of the server

let start; // settings from the server
let doc = null; // the current document
let spans = new Map(); // its spans by id, possible leaks too
let chosen = null; // id of the chosen span
let version = 0;
let wanted = -1; // the document of the last request
let turn = 0; // counts requests: a late answer is not shown
const line = new Line(showSaved);
const view = new TextView($('text'), $('caret'));
const list = new List(open, progress);
const panel = new Panel({accept: () => decide('accept'), reject: () => decide('reject'), kind: changeKind, same: sameWords, move, choose});
const adding = new Adding(view, addSelected);
let kinds;

// -- documents --------------------------------------------------------------------------------------------------------

async function open(number, focus = '') {
  if (!start || !(number >= 0 && number < start.total)) return;
  const mine = ++turn;
  wanted = number;
  let found;
  try {
    found = await line.get(`api/doc/${number}`);
    if (mine !== turn) return;
  } catch (error) {
    if (mine !== turn) return;
    if (error instanceof Refused) {
      list.choose(number);
      blank(number, error.message);
    } else {
      wanted = doc ? doc.i : -1;
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

const shows = number => doc !== null && doc.i === number;

// Loads the same document again, unless another one is loading.
async function reopen(number) {
  if (shows(number) && wanted === number) await open(number, chosen);
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
  tellDocument(doc, [...spans.values()], openDifferences(doc, spans).length);
}

// -- spans ------------------------------------------------------------------------------------------------------------

// Returns the spans for navigation, in text order.
function stops() {
  const all = visible().filter(s => !start.two || s.s !== 'rejected' || s.id[0] === 'L' || s.id[0] === 'R');
  const found = all.filter(s => s.id === chosen || list.wants(s));
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
    span && start.two ? differenceOf(doc, spans, span) : null, start.two);
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

// Resolves to the answer of the server; null if it refused or if another document is shown now.
async function send(op, given = {}) {
  const number = doc.i;
  try {
    const answer = await line.post('api/decide', {op, doc: number, shown: number, ...given});
    settle(answer, number);
    return shows(number) ? answer : null;
  } catch (error) {
    toast(error.message, 'bad');
    await reopen(number);
    return null;
  }
}

function settle(answer, number) {
  list.take(answer.rows);
  depth(answer.depth);
  if (answer.said) toast(answer.said, '', answer.depth[0] > 0);
  if (!shows(number)) return;
  if (answer.reload) {
    reopen(number);
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
  if (spans.size < MANY && span.s !== 'leak' && span.s !== 'left' && span.s !== 'right') { // shown immediately, confirmed later
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
  const number = doc.i;
  const kind = await kinds.ask(`Kind, now ${named(span.k)}`);
  refocus();
  if (!kind || left(number)) return;
  const answer = await send('kind', {span: span.id, kind});
  if (answer) choose_(answer.span || span.id, true);
}

// Returns true, with a message, if another document is shown now. An answer for the previous document must not change it.
function left(number) {
  if (!shows(number)) toast('Another document was opened meanwhile; nothing was changed.');
  return !shows(number);
}

async function addSelected(selected, kind = null) {
  const number = doc.i;
  kind = kind || await kinds.ask('Kind of the new span');
  if (!kind || left(number)) return refocus();
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
  spans.set(chosen, {...span, b: bounds[0], e: bounds[1]}); // the next key press continues here
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
  if (left(number)) return;
  const words = make('q', '', doc.text.slice(span.b, Math.min(span.e, span.b + 120)));
  const what = isLive(span) ? [words, ' becomes ', chip(span.k), ' wherever it stands:'] : [words, ' is rejected wherever it was found as ', chip(span.k.split('_')[0]), ':'];
  const where = await askSame(what, counts);
  refocus();
  if (where && !left(number)) await send('same', {span: id, scope: where});
}

async function choose(side) {
  const span = spans.get(chosen);
  const difference = span && differenceOf(doc, spans, span);
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

listen({
  first: e => adding.key(e),
  act: key => (doc || '?[]f'.includes(key) ? PLAIN[key] : null),
  undo,
  move: (side, by, byWord) => chosen && (move(side, by, byWord), true),
  refocus,
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
const CLICKS = {
  previous: () => step(-1), next: () => step(1), 'previous-doc': PLAIN['['], 'next-doc': PLAIN[']'], undo: PLAIN.u, redo: PLAIN.U, help: PLAIN['?'],
  done: () => (doc && doc.done ? send('reopen') : done()), export: () => exportGold(line),
};
for (const [id, does] of Object.entries(CLICKS)) $(id).addEventListener('click', does);
$('help-dialog').addEventListener('click', e => { if (e.target === $('help-dialog')) $('help-dialog').close(); });
$('show-suggested').addEventListener('change', () => { if (doc) { draw(); choose_(chosen); } });
$('show-masked').addEventListener('change', () => document.body.classList.toggle('single', !$('show-masked').checked));
$('filters').addEventListener('change', () => { if (doc) choose_(chosen); });
$('search').addEventListener('keydown', e => {
  if (e.key === 'Enter') { adding.search(e.shiftKey ? -1 : 1); e.preventDefault(); }
  if (e.key === 'Escape') { $('search').blur(); refocus(); e.stopPropagation(); }
});
addEventListener('hashchange', () => open(Number(location.hash.slice(1)) || 0));

// -- start ------------------------------------------------------------------------------------------------------------

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
  setUpPage(start);
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
  } catch { /* the server is temporarily unavailable */ }
  if (again) setTimeout(poll, 700);
}

begin();
