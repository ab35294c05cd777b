"""How the page of errors looks and what it does: filters by group, kind and leak, j and k to step."""

from __future__ import annotations

STYLE = """
main { padding-top: 1rem; }
.legend {
  display: flex; flex-wrap: wrap; gap: .4rem .7rem; align-items: center; margin: .8rem 0 0;
  font-size: .85rem; color: var(--muted);
}
mark { color: var(--ink); border-radius: 3px; padding: .05em .1em; background: none; }
mark.leak { background: var(--badbg); color: var(--bad); box-shadow: inset 0 -2px 0 var(--bad); }
mark.extra { border: 1px dashed hsl(var(--h) var(--dull, 45%) var(--edge-light)); padding-block: 0; }
mark.both { background: hsl(var(--h) var(--dull, var(--mark-strong)) var(--mark-light)); }
.tools {
  position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
  margin: 1.3rem 0 0; padding: .6rem 0; background: var(--bg); border-bottom: 1px solid var(--line); font-size: .875rem;
}
.tools[hidden] { display: none; }
.tools button, .tools select {
  font: inherit; color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: 5px;
  padding: .15rem .6rem; cursor: pointer;
}
.groups { display: flex; flex-wrap: wrap; gap: .35rem; }
.groups button[aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.groups button[aria-pressed=false] { color: var(--muted); text-decoration: line-through; }
.groups b { font-variant-numeric: tabular-nums; font-weight: 600; }
.tools label { display: inline-flex; gap: .4em; align-items: center; }
.steps { margin-left: auto; display: inline-flex; gap: .4rem; align-items: center; font-variant-numeric: tabular-nums; }
#count { min-width: 6.5em; color: var(--muted); text-align: right; }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em; color: var(--muted); }
.group h2 .muted { font-weight: 400; font-size: .9rem; margin-left: .4em; }
.error {
  border: 1px solid var(--line); border-radius: 8px; padding: .55rem .9rem .6rem; margin: .6rem 0; scroll-margin: 8rem 0 2rem;
}
.error[hidden], .group[hidden] { display: none; }
.error.on { outline: 2px solid var(--accent); outline-offset: 1px; }
.error:focus { outline: 2px solid var(--accent); outline-offset: 1px; }
.error h3 { font-size: .8rem; font-weight: 500; color: var(--muted); overflow-wrap: anywhere; }
.context { margin: .25rem 0 .35rem; line-height: 1.75; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.own { font-weight: 650; }
.error dl { display: flex; flex-wrap: wrap; gap: .15rem 1.4rem; margin: 0; font-size: .85rem; align-items: baseline; }
.error dl div { display: flex; gap: .45em; align-items: baseline; }
.error dt { color: var(--muted); }
.error dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.leaks { color: var(--bad); font-weight: 600; }
@media print { .tools { display: none; } .error { break-inside: avoid; } }
"""
"""Where reference and system differ is told by form as well as by colour: underlined, dashed, filled."""

FILTERING = """
(() => {
  const tools = document.getElementById('tools'), kind = document.getElementById('kind');
  const leaks = document.getElementById('leaks'), count = document.getElementById('count');
  const groups = [...tools.querySelectorAll('[data-group]')], all = [...document.querySelectorAll('.error')];
  let shown = all, at = -1;
  const told = () => {
    count.textContent = at < 0 ? shown.length + ' shown' : (at + 1) + ' of ' + shown.length;
  };
  const choose = i => {
    document.querySelectorAll('.error.on').forEach(e => e.classList.remove('on'));
    at = i;
    told();
    if (at < 0) return;
    shown[at].classList.add('on');
    shown[at].focus({preventScroll: true});
    shown[at].scrollIntoView({block: 'nearest'});
  };
  const step = n => {
    if (shown.length) choose(at < 0 ? (n > 0 ? 0 : shown.length - 1) : (at + n + shown.length) % shown.length);
  };
  const filter = () => {
    const on = new Set(groups.filter(b => b.getAttribute('aria-pressed') === 'true').map(b => b.dataset.group));
    const chosen = at < 0 ? null : shown[at];
    for (const e of all) {
      e.hidden = !on.has(e.parentElement.id) || (kind.value && e.dataset.kind !== kind.value)
        || (leaks.checked && !('leaks' in e.dataset));
    }
    shown = all.filter(e => !e.hidden);
    document.querySelectorAll('.group').forEach(g => g.hidden = !g.querySelector('.error:not([hidden])'));
    document.getElementById('empty').hidden = shown.length > 0;
    at = shown.indexOf(chosen);
    document.querySelectorAll('.error.on').forEach(e => e.classList.toggle('on', e === chosen && at >= 0));
    told();
  };
  groups.forEach(b => b.addEventListener('click', () => {
    b.setAttribute('aria-pressed', b.getAttribute('aria-pressed') !== 'true');
    filter();
  }));
  kind.addEventListener('change', filter);
  leaks.addEventListener('change', filter);
  document.getElementById('next').addEventListener('click', () => step(1));
  document.getElementById('previous').addEventListener('click', () => step(-1));
  document.addEventListener('click', e => {
    const error = e.target instanceof Element && e.target.closest('.error');
    if (error) choose(shown.indexOf(error));
  });
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLSelectElement) return;
    if (e.key === 'j' || e.key === 'k') { step(e.key === 'j' ? 1 : -1); e.preventDefault(); }
    if (e.key === 'Escape') choose(-1);
  });
  tools.hidden = false;
  filter();
})();
"""
"""What the page does; without a script it shows everything."""
