// n and p step through the spans; pointing at a span shows its details; Escape clears the selection.
const box = document.getElementById('box'), count = document.getElementById('count');
const spans = [...document.querySelectorAll('#original mark')].map(m => m.dataset.d);
let current = -1;
const show = d => {
  const detail = document.getElementById('d' + d);
  box.replaceChildren();
  if (detail) {
    const copy = detail.cloneNode(true);
    copy.removeAttribute('id');
    box.append(copy);
  }
};
const showCurrent = () => current < 0 ? box.replaceChildren() : show(spans[current]);
const select = (i, focus) => {
  document.querySelectorAll('mark.on').forEach(m => m.classList.remove('on'));
  current = i;
  count.textContent = current < 0 ? '' : (current + 1) + ' of ' + spans.length;
  showCurrent();
  if (current < 0) return;
  const marks = [...document.querySelectorAll('mark[data-d~="' + spans[current] + '"]')];
  marks.forEach(m => m.classList.add('on'));
  marks.reverse().forEach(m => m.scrollIntoView({block: 'nearest'}));
  if (focus) marks[marks.length - 1].focus({preventScroll: true});
};
const step = n => {
  if (spans.length) select(current < 0 ? (n > 0 ? 0 : spans.length - 1) : (current + n + spans.length) % spans.length, true);
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
document.addEventListener('mouseout', e => { if (target(e)) showCurrent(); });
document.addEventListener('click', e => { const d = target(e); if (d) select(spans.indexOf(d)); });
document.getElementById('next').addEventListener('click', () => step(1));
document.getElementById('previous').addEventListener('click', () => step(-1));
document.getElementById('panel').hidden = false;
