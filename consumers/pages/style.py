"""How caspipe's HTML pages look: restrained colours, light and dark, one hue for each family of PHI kinds."""

from __future__ import annotations

STYLE = """
:root {
  --bg: #fff; --surface: #f5f6f8; --ink: #1b2430; --muted: #5a6472; --line: #dde1e7; --accent: #1f5fae;
  --bad: #a3341c; --badbg: #fdf0ec; --good: #1d6b42; --goodbg: #ebf6f0;
  --mark-light: 89%; --mark-strong: 72%; --edge-light: 42%;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #13171d; --surface: #1b2129; --ink: #e4e8ee; --muted: #9ba6b4; --line: #2e3742; --accent: #86b4f5;
    --bad: #f3a18c; --badbg: #36201b; --good: #86d1a8; --goodbg: #182c22;
    --mark-light: 24%; --mark-strong: 38%; --edge-light: 62%;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--bg); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main, header, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.6rem; }
footer { padding: 1.5rem 1.25rem 2.5rem; color: var(--muted); font-size: .875rem; }
h1 { font-size: 1.55rem; line-height: 1.25; margin: .1rem 0; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 1.08rem; margin: 2.2rem 0 .6rem; font-weight: 650; }
h3 { font-size: .95rem; margin: 0; font-weight: 600; }
p { margin: .4rem 0; }
a { color: var(--accent); text-underline-offset: .15em; }
summary { cursor: pointer; margin: .7rem 0 .5rem; color: var(--accent); }
.muted, .facts { color: var(--muted); }
.facts { margin: 0; font-size: .9rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }

.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding: .5rem .8rem .4rem; font-size: .85rem; }
th, td { padding: .42rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--muted); font-weight: 600; font-size: .8rem; background: var(--surface); white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { font-weight: 500; }
.n { text-align: right; white-space: nowrap; }
td.bar { min-width: 7rem; width: 26%; vertical-align: middle; }
svg.bar { display: block; width: 100%; height: .7rem; }
svg.bar .back { fill: var(--surface); }
svg.bar .front { fill: var(--accent); }
svg.bar .kind { fill: hsl(var(--h) var(--dull, 45%) 52%); }
code, pre, kbd { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre {
  background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: 0;
  overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
}

.chip {
  display: inline-flex; gap: .4em; font-size: .78rem; font-weight: 600; line-height: 1.5; padding: .05rem .5rem;
  border-radius: 4px; white-space: nowrap; background: hsl(var(--h) var(--dull, var(--mark-strong)) var(--mark-light));
}
.chip b { font-weight: 500; opacity: .75; }
.k-DATE { --h: 212; }
.k-AGE { --h: 186; }
.k-PERSON { --h: 342; }
.k-LOCATION { --h: 138; }
.k-ORGANIZATION { --h: 78; }
.k-PROFESSION { --h: 44; }
.k-ID { --h: 266; }
.k-PHONE, .k-FAX, .k-EMAIL, .k-URL, .k-IP { --h: 22; }
.k-PHOTO, .k-OTHER { --h: 220; --dull: 10%; }
@media print { body { font-size: 11px; } .scroll { overflow: visible; } }
"""
"""What all pages share. Kinds are told apart by hue, and always by name too."""

REPORT = """
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .7rem; margin: 1.2rem 0 0; }
.cards > div { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; }
.cards dt { color: var(--muted); font-size: .8rem; }
.cards dd { margin: 0; white-space: nowrap; font-size: 1.4rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.cards .bad dd { color: var(--bad); }
.status { display: inline-block; font-size: .85rem; font-weight: 600; padding: .15rem .6rem; border-radius: 5px; }
.good.status { color: var(--good); background: var(--goodbg); }
.bad.status { color: var(--bad); background: var(--badbg); }
header .status { margin-top: .6rem; }
.account { margin: 1rem 0 0; font-size: .9rem; font-variant-numeric: tabular-nums; }
.account span { font-weight: 700; margin-right: .3em; }
.good.account span { color: var(--good); }
.bad.account { color: var(--bad); font-weight: 600; }
.pace { margin: 0; border: 1px solid var(--line); border-radius: 8px; padding: .9rem .9rem .6rem; }
.pace svg { display: block; width: 100%; height: 7.5rem; border-bottom: 1px solid var(--line); }
.pace .bars { fill: var(--accent); }
.pace .mean { stroke: var(--ink); stroke-dasharray: 4 4; vector-effect: non-scaling-stroke; opacity: .6; }
.pace .axis { display: flex; justify-content: space-between; font-size: .78rem; color: var(--muted); padding-top: .25rem; }
.pace figcaption { font-size: .85rem; color: var(--muted); margin-top: .4rem; }
.warnings { margin: .3rem 0; padding-left: 1.2rem; }
"""

INDEX = """
main { padding-top: 1rem; }
tbody th { min-width: 11rem; overflow-wrap: anywhere; }
.chips { display: flex; flex-wrap: wrap; gap: .3rem; min-width: 20rem; }
"""

DOCUMENT = """
main, header { max-width: 92rem; }
.legend { display: flex; flex-wrap: wrap; gap: .4rem .5rem; align-items: center; margin: .8rem 0 0; font-size: .85rem; }
.texts { display: grid; gap: 1rem; margin-top: 1rem; }
.texts > section { border: 1px solid var(--line); border-radius: 8px; min-width: 0; overflow: hidden; }
.texts h2 {
  margin: 0; padding: .4rem .9rem; font-size: .85rem; color: var(--muted); background: var(--surface);
  border-bottom: 1px solid var(--line);
}
.text {
  padding: .8rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; line-height: 1.75;
  max-height: 66vh; overflow: auto;
}
@media (min-width: 56rem) { .texts { grid-template-columns: 1fr 1fr; } }
mark {
  color: inherit; border-radius: 3px; padding: .05em .1em;
  background: hsl(var(--h) var(--dull, var(--mark-strong)) var(--mark-light));
  border-bottom: 2px solid hsl(var(--h) var(--dull, 45%) var(--edge-light));
}
mark[data-d] { cursor: pointer; scroll-margin: 3rem 0 14rem; }
mark.kept { background: none; border: 1px dashed hsl(var(--h) var(--dull, 45%) var(--edge-light)); }
mark.vetoed { background: none; border-bottom: 2px dotted var(--muted); }
mark.missed {
  background: none; border-bottom: 0; text-decoration: underline wavy var(--bad); text-underline-offset: .2em;
}
mark.on { outline: 2px solid var(--accent); outline-offset: 1px; }
.detail { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; margin: .7rem 0; }
.detail h3 { font-weight: 500; }
.detail q { overflow-wrap: anywhere; white-space: pre-wrap; }
.detail dl { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; margin: .4rem 0 0; font-size: .88rem; }
.detail dl div { display: flex; gap: .45em; }
.detail dt { color: var(--muted); }
.detail dd { margin: 0; overflow-wrap: anywhere; }
.detail .scroll { margin-top: .6rem; }
.panel {
  position: sticky; bottom: 0; z-index: 2; background: var(--bg); border-top: 1px solid var(--line);
  margin-top: 1rem; padding: .5rem 0 .7rem; max-height: 46vh; overflow: auto;
}
.panel .steps { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; font-size: .85rem; color: var(--muted); }
.panel .detail { margin: .5rem 0 0; }
.panel button {
  font: inherit; color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: 5px;
  padding: .1rem .6rem; cursor: pointer;
}
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em; }
@media print { .panel { display: none; } .text { max-height: none; } }
"""

STEPPING = """
(() => {
  const box = document.getElementById('box'), count = document.getElementById('count');
  const spans = [...document.querySelectorAll('#original mark')].map(m => m.dataset.d);
  let at = -1;
  const show = d => {
    const detail = document.getElementById('d' + d);
    box.replaceChildren();
    if (detail) {
      const copy = detail.cloneNode(true);
      copy.removeAttribute('id');
      box.append(copy);
    }
  };
  const settle = () => at < 0 ? box.replaceChildren() : show(spans[at]);
  const select = (i, focus) => {
    document.querySelectorAll('mark.on').forEach(m => m.classList.remove('on'));
    at = i;
    count.textContent = at < 0 ? '' : (at + 1) + ' of ' + spans.length;
    settle();
    if (at < 0) return;
    const there = [...document.querySelectorAll('mark[data-d~="' + spans[at] + '"]')];
    there.forEach(m => m.classList.add('on'));
    there.reverse().forEach(m => m.scrollIntoView({block: 'nearest'}));
    if (focus) there[there.length - 1].focus({preventScroll: true});
  };
  const step = n => {
    if (spans.length) select(at < 0 ? (n > 0 ? 0 : spans.length - 1) : (at + n + spans.length) % spans.length, true);
  };
  const target = e => {
    const mark = e.target instanceof Element && e.target.closest('mark[data-d]');
    return mark ? mark.dataset.d.split(' ')[0] : '';
  };
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'n' || e.key === 'p') { step(e.key === 'n' ? 1 : -1); e.preventDefault(); }
    if (e.key === 'Escape') select(-1);
  });
  document.addEventListener('mouseover', e => { const d = target(e); if (d) show(d); });
  document.addEventListener('mouseout', e => { if (target(e)) settle(); });
  document.addEventListener('click', e => { const d = target(e); if (d) select(spans.indexOf(d)); });
  document.getElementById('next').addEventListener('click', () => step(1));
  document.getElementById('previous').addEventListener('click', () => step(-1));
  document.getElementById('panel').hidden = false;
})();
"""
"""What a document's page does: n and p step through the spans, pointing at one shows its details, Escape lets go."""
