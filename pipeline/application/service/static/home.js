"use strict";

const byId = (id) => document.getElementById(id);

/** Show the masked text with each replacement marked; offsets are in UTF-16 code units. */
function show(masked) {
  const place = byId("masked");
  place.replaceChildren();
  let offset = 0;
  for (const span of masked.spans) {
    place.append(masked.text.slice(offset, span.begin));
    const mark = document.createElement("mark");
    mark.textContent = masked.text.slice(span.begin, span.end);
    mark.title = `${span.kind}: ${span.operator}`;
    place.append(mark);
    offset = span.end;
  }
  place.append(masked.text.slice(offset));
}

async function send(event) {
  event.preventDefault();
  const state = byId("state");
  const headers = { "Content-Type": "application/json" };
  if (byId("key").value) headers["X-API-Key"] = byId("key").value;
  byId("send").disabled = true;
  state.textContent = "…";
  try {
    const body = JSON.stringify({ text: byId("text").value, offsets: "utf16" });
    const answer = await fetch("v1/process", { method: "POST", headers, body });
    const data = await answer.json();
    if (answer.ok) {
      show(data.masked);
      const found = data.masked.spans.length;
      state.textContent = `${found} ${found === 1 ? "span" : "spans"} masked`;
    } else {
      byId("masked").replaceChildren();
      state.textContent = `${answer.status}: ${data.detail}`;
      if (answer.status === 401) byId("key-row").hidden = false;
    }
  } catch {
    state.textContent = "The service does not answer.";
  } finally {
    byId("send").disabled = false;
  }
}

byId("origin").textContent = new URL(".", location.href).href;
byId("form").addEventListener("submit", send);
