// Keyboard shortcuts outside dialogs and fields.

// `first(event)`: returns true if the caret handled the key; `act(key)`: returns the action of a plain key, or null;
// `move(side, by, by word)`: returns true if a span could be moved.
export function listen({first, act, undo, move, refocus}) {
  document.addEventListener('keydown', e => {
    if (document.querySelector('dialog[open]') || e.isComposing) return;
    if (e.target.closest('input:not([type=checkbox]):not([type=radio]), select, textarea')) {
      if (e.key === 'Escape') { e.target.blur(); refocus(); }
      return;
    }
    if (first(e)) return e.preventDefault();
    const ctrl = e.ctrlKey || e.metaKey;
    if (ctrl && !e.altKey && (e.key === 'z' || e.key === 'Z')) { e.preventDefault(); return undo(e.shiftKey); }
    if (ctrl && e.key === 'y') { e.preventDefault(); return undo(true); }
    if ((e.key === 'ArrowLeft' || e.key === 'ArrowRight') && (e.shiftKey || e.altKey)) {
      if (move(e.altKey ? 'b' : 'e', e.key === 'ArrowRight' ? 1 : -1, ctrl)) e.preventDefault();
      return;
    }
    if (ctrl || e.altKey) return;
    if (e.target.closest('button, label, #docs') && (e.key === 'Enter' || e.key === ' ' || e.key.startsWith('Arrow'))) return;
    const does = act(e.key);
    if (does) {
      e.preventDefault();
      does();
    }
  });
}

export function toggle(id) {
  const box = document.getElementById(id);
  box.checked = !box.checked;
  box.dispatchEvent(new Event('change', {bubbles: true}));
}
