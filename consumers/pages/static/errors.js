// Filter by group, kind and leak; j and k step through what is left. Without scripts the page shows everything.
const tools = document.getElementById('tools'), kind = document.getElementById('kind');
const leaks = document.getElementById('leaks'), count = document.getElementById('count');
const groups = [...tools.querySelectorAll('[data-group]')], all = [...document.querySelectorAll('.error')];
let shown = all, current = -1;
const updateCount = () => {
  count.textContent = current < 0 ? shown.length + ' shown' : (current + 1) + ' of ' + shown.length;
};
const choose = i => {
  document.querySelectorAll('.error.on').forEach(e => e.classList.remove('on'));
  current = i;
  updateCount();
  if (current < 0) return;
  shown[current].classList.add('on');
  shown[current].focus({preventScroll: true});
  shown[current].scrollIntoView({block: 'nearest'});
};
const step = n => {
  if (shown.length) choose(current < 0 ? (n > 0 ? 0 : shown.length - 1) : (current + n + shown.length) % shown.length);
};
const filter = () => {
  const on = new Set(groups.filter(b => b.getAttribute('aria-pressed') === 'true').map(b => b.dataset.group));
  const chosen = current < 0 ? null : shown[current];
  for (const e of all) {
    e.hidden = !on.has(e.parentElement.id) || (kind.value && e.dataset.kind !== kind.value)
      || (leaks.checked && !('leaks' in e.dataset));
  }
  shown = all.filter(e => !e.hidden);
  document.querySelectorAll('.group').forEach(g => g.hidden = !g.querySelector('.error:not([hidden])'));
  document.getElementById('empty').hidden = shown.length > 0;
  current = shown.indexOf(chosen);
  document.querySelectorAll('.error.on').forEach(e => e.classList.toggle('on', e === chosen && current >= 0));
  updateCount();
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
