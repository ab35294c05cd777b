// Send decisions to the server one after the other, each with its own key, and repeat each until the server has it.

import {toast} from './telling.js';

export class Gone extends Error {}

export class Refused extends Error {}

export class Line {
  constructor(show) {
    this.show = show; // called with ('saved' | 'saving' | 'unsaved' | 'locked', number of pending decisions)
    this.waiting = [];
    this.busy = false;
    this.locked = false; // true if the server rejects requests of this page
    this.token = token();
    addEventListener('beforeunload', e => { if (this.waiting.length) e.preventDefault(); });
  }

  async get(path) {
    return this.ask(path, {});
  }

  // All requests use this method; `aria-busy` is set meanwhile.
  async ask(path, options) {
    this.asking = (this.asking || 0) + 1;
    document.body.setAttribute('aria-busy', 'true');
    try {
      return await this.asked(path, options);
    } finally {
      this.asking--;
      if (!this.asking) document.body.removeAttribute('aria-busy');
    }
  }

  async asked(path, options) {
    let answer;
    try {
      answer = await fetch(path, {...options, headers: {...options.headers, 'X-Caspipe-Token': this.token}});
    } catch {
      throw new Gone();
    }
    this.locked = answer.status === 403;
    if (this.locked) {
      this.show('locked', this.waiting.length);
      throw new Refused('This page is no longer the server’s: open the address that caspipe review printed.');
    }
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refused(body.error || `HTTP ${answer.status}`);
    return body;
  }

  // Resolves to the answer of the server; rejects if the server refuses.
  post(path, body) {
    const keyed = {...body, key: key()};
    return new Promise((resolve, reject) => {
      this.waiting.push({path, body: keyed, resolve, reject});
      this.run();
    });
  }

  async run() {
    if (this.busy) return;
    this.busy = true;
    let pause = 400;
    while (this.waiting.length) {
      const next = this.waiting[0];
      this.show(pause > 400 ? 'unsaved' : 'saving', this.waiting.length);
      try {
        const body = JSON.stringify(next.body);
        const answer = await this.ask(next.path, {method: 'POST', body, headers: {'Content-Type': 'application/json'}});
        this.waiting.shift();
        next.resolve(answer);
        pause = 400;
      } catch (error) {
        if (error instanceof Gone) {
          this.show('unsaved', this.waiting.length);
          await new Promise(go => setTimeout(go, pause));
          pause = Math.min(pause * 1.6, 5000);
          continue;
        }
        this.waiting.shift();
        next.reject(error);
      }
    }
    this.busy = false;
    if (!this.locked) this.show('saved', 0);
  }
}

export async function exportGold(line) {
  try {
    const made = await line.ask('api/export', {method: 'POST'});
    const failed = made.failed.length ? `; ${made.failed.length} could not be written, first ${made.failed[0].join(': ')}` : '';
    toast(`${made.documents} documents that are done are written to ${made.folder}${failed}`, failed ? 'bad' : 'good');
  } catch (error) {
    toast(error.message || 'The server does not answer.', 'bad');
  }
}

function token() {
  const given = new URLSearchParams(location.search).get('token');
  try {
    if (given) {
      sessionStorage.setItem('caspipe-token', given);
      history.replaceState(null, '', location.pathname + location.hash);
    }
    return given || sessionStorage.getItem('caspipe-token') || '';
  } catch {
    return given || '';
  }
}

function key() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map(b => b.toString(16).padStart(2, '0')).join('');
}
