// Differences between two annotators, for an adjudicator.

// Returns the differences without a choice.
export function openDifferences(doc, spans) {
  return (doc.differences || []).filter(d => [...d.left, ...d.right].some(id => ['left', 'right'].includes(spans.get(id).s)));
}

// Returns the difference of a span, with both original sides; null if there is none.
export function differenceOf(doc, spans, span) {
  const number = (doc.differences || []).findIndex(d => d.left.includes(span.id) || d.right.includes(span.id));
  if (number < 0) return null;
  const d = doc.differences[number];
  const found = ids => ids.map(id => ({...spans.get(id), ...(spans.get(id).was ? {b: spans.get(id).was[0], e: spans.get(id).was[1], k: spans.get(id).was[2]} : {})}));
  return {number, left: found(d.left), right: found(d.right)};
}
