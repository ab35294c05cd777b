// The current document, its findings and their storage. Offsets here are UTF-16 code units; files contain code points.
const data = JSON.parse(document.getElementById('data').textContent);
const {sample, documents, kinds} = data;
const direct = new Map(kinds.map(([name, , is]) => [name, is]));
const $ = id => document.getElementById(id);
const text = $('text');
let at = 0, reader = '', found = {}, kept = true;

const storage = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); return true; } catch { return false; } },
};
const place = name => `caspipe audit ${sample} ${name}`;
const of = i => found[documents[i].n] ?? {done: false, leaks: [], note: ''};
const isRead = one => one.done || one.leaks.length > 0;
const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const hue = kind => {
  const top = kind.split('_')[0];
  return data.hues.includes(top) ? `k-${top}` : 'k-OTHER';
};

function change(i, what) {
  found[documents[i].n] = {...of(i), ...what};
  kept = storage.set(place(reader), JSON.stringify(found));
  draw();
}

function enter(name) {
  reader = name;
  try { found = JSON.parse(storage.get(place(name)) ?? '{}'); } catch { found = {}; }
  kept = storage.set(place(''), name);
  const first = documents.findIndex((_, i) => !of(i).done);
  show(first < 0 ? 0 : first);
}

function show(i) {
  at = Math.max(0, Math.min(documents.length - 1, i));
  release();
  draw();
  scrollTo(0, 0);
  text.focus({preventScroll: true});
}

function done(is) {
  change(at, {done: is});
  if (is && at < documents.length - 1) show(at + 1);
}

function nextUnread() {
  const n = documents.length;
  for (let step = 1; step <= n; step++) {
    if (!of((at + step) % n).done) return show((at + step) % n);
  }
}

function mark(begin, end, kind) {
  const {leaks} = of(at);
  if (leaks.some(([b, e]) => b < end && begin < e)) return say('A leak is marked there already.');
  change(at, {leaks: [...leaks, [begin, end, kind]].sort((a, b) => a[0] - b[0])});
  say('');
}

function unmark(begin) {
  change(at, {leaks: of(at).leaks.filter(([b]) => b !== begin)});
}

function say(what) { $('said').textContent = what; }

function draw() {
  const now = documents[at], one = of(at);
  $('title').textContent = `Document ${now.n}`;
  document.title = `Document ${now.n}: audit`;
  const count = documents.filter((_, i) => of(i).done).length;
  $('count').textContent = `${count} of ${documents.length} read`;
  $('bar').value = count;
  $('place').textContent = `${at + 1} of ${documents.length} drawn`;
  $('who').textContent = reader;
  drawText(now, one);
  const state = $('state');
  state.className = `state ${one.leaks.length ? 'leaks' : one.done ? 'clean' : ''}`;
  const leaks = `${one.leaks.length} leak${one.leaks.length === 1 ? '' : 's'}`;
  state.textContent = one.done ? (one.leaks.length ? `Read, ${leaks}` : 'Read, no leak') :
    one.leaks.length ? `${leaks} so far, not done` : 'Not read yet';
  $('done').firstChild.textContent = one.leaks.length ? 'Done, next ' : 'No leak, next ';
  $('undo').disabled = !one.done;
  $('previous').disabled = at === 0;
  $('next').disabled = at === documents.length - 1;
  $('leaks').replaceChildren(...one.leaks.map(([b, e, kind]) => {
    const gone = make('button', {type: 'button', textContent: 'Remove'});
    gone.setAttribute('aria-label', `Remove ${kind}`);
    gone.addEventListener('click', () => unmark(b));
    const chip = make('span', {className: `chip ${hue(kind)}`, textContent: kind});
    return make('li', {}, make('span', {}, make('q', {textContent: now.t.slice(b, e)}), ' ', chip), gone);
  }));
  $('noleaks').hidden = one.leaks.length > 0;
  if ($('note').value !== one.note) $('note').value = one.note;
  $('spoiled').textContent = spoiled(at) ? 'The note holds words that were marked. It will be left out of the file.' : '';
  $('unsaved').textContent = kept ? '' : 'This browser keeps nothing: download the findings before you close the page.';
  drawAll();
}

function drawText(now, one) {
  const marks = [...now.s.map(s => [...s, false]), ...one.leaks.map(l => [...l, true])];
  const edges = [...new Set([0, now.t.length, ...marks.flatMap(([b, e]) => [b, e])])].sort((a, b) => a - b);
  const pieces = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const [b, e] = [edges[i], edges[i + 1]], words = now.t.slice(b, e);
    const over = marks.filter(m => m[0] <= b && e <= m[1]);
    const leak = over.find(m => m[3]), masked = over.find(m => !m[3]);
    if (!leak && !masked) pieces.push(words);
    else {
      const kind = (leak ?? masked)[2];
      const title = leak ? `leak: ${kind}` : `masked: ${kind}`;
      const made = make('mark', {className: leak ? 'leak' : hue(kind), title, textContent: words});
      if (leak) made.dataset.leak = leak[0];
      pieces.push(made);
    }
  }
  text.replaceChildren(...pieces);
}

function drawAll() {
  const all = $('all');
  if (!all.childElementCount) {
    all.append(...documents.map((d, i) => {
      const made = make('button', {type: 'button', title: `Document ${d.n}`, tabIndex: -1});
      made.addEventListener('click', () => show(i));
      return made;
    }));
  }
  [...all.children].forEach((button, i) => {
    const one = of(i);
    button.className = one.leaks.length ? `leaks${one.done ? '' : ' part'}` : one.done ? 'clean' : '';
    button.textContent = one.leaks.length || '';
    const told = one.done ? 'read' : 'not read';
    button.setAttribute('aria-label', `Document ${documents[i].n}, ${told}, ${one.leaks.length} leaks`);
    if (i === at) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current');
  });
  all.children[at].scrollIntoView({block: 'nearest'});
}

// A note must not contain words of the document: a note with a marked text is not exported.
function spoiled(i) {
  const note = of(i).note.toLowerCase();
  return of(i).leaks.some(([b, e]) => e - b > 2 && note.includes(documents[i].t.slice(b, e).toLowerCase()));
}

const points = (words, offset) => [...words.slice(0, offset)].length;

function findings() {
  const quoted = cell => {
    const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
    return /[",\n\r;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = documents.map((d, i) => {
    const one = of(i);
    if (!isRead(one)) return [sample, d.n, '', '', '', '', '', ''];
    const counts = new Map();
    one.leaks.forEach(([, , kind]) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
    const told = [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([kind, n]) => `${kind}:${n}`).join('; ');
    const classes = ['direct', 'quasi'].filter(c => one.leaks.some(([, , kind]) => direct.get(kind) === (c === 'direct')));
    const places = one.leaks.map(([b, e, kind]) => `${points(d.t, b)}-${points(d.t, e)}:${kind}`).join('; ');
    const note = spoiled(i) ? '' : one.note.replace(/\s+/g, ' ').trim();
    return [sample, d.n, one.leaks.length, told, classes.join('; '), note, reader, places];
  });
  return '\ufeff' + [data.columns, ...rows].map(row => row.map(quoted).join(',') + '\r\n').join('');
}

function download() {
  const address = URL.createObjectURL(new Blob([findings()], {type: 'text/csv'}));
  const name = reader.replace(/[^\p{L}\p{N}_-]/gu, '') || 'reader';
  const link = make('a', {href: address, download: `findings-${name}.csv`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  const left = documents.filter((_, i) => !isRead(of(i))).length;
  say(left ? `Saved. ${left} document${left === 1 ? ' is' : 's are'} not read yet and count as unread.` : 'Saved.');
}
