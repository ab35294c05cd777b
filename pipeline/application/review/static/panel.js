// The panel of the selected span: its properties and actions.

import {chip, make} from './dialogs.js';
import {isLive, named, told} from './text.js';

const $ = id => document.getElementById(id);

export class Panel {
  constructor(act) {
    this.act = act;
    this.box = $('box');
    this.asked = '';
  }

  // `why`: a function that resolves to the explanation from the server
  async show(span, text, why, difference, two) {
    if (!span) {
      this.asked = '';
      this.box.replaceChildren(hint());
      return;
    }
    const head = this.head(span, text, difference, two);
    const old = this.asked === span.id ? this.box.querySelector('.facts-box') : null;
    this.asked = span.id;
    this.box.replaceChildren(...head, old || make('div', 'facts-box'));
    const facts = await why().catch(() => null);
    if (this.asked !== span.id) return;
    this.box.replaceChildren(...head, facts ? this.facts(facts, span, text) : make('p', 'told', 'What stands behind it cannot be asked now.'));
  }

  head(span, text, difference, two) {
    const words = text.slice(span.b, span.e);
    const title = make('h3', 'chosen', chip(span.k), make('span', `badge status ${span.s}`, told(span)));
    const quote = make('p', 'words', words.length > 300 ? words.slice(0, 300) + '…' : words);
    const live = isLive(span);
    const buttons = make('div', 'acts',
      button('accept', span.s === 'accepted' ? 'Accepted' : live ? 'Accept' : 'Make it PHI', 'a', () => this.act.accept(), span.s === 'accepted' ? 'quiet' : 'good'),
      button('reject', span.s === 'leak' || span.s === 'suggested' ? 'Dismiss' : 'Reject', 'r', () => this.act.reject(), 'bad'),
      button('kind', 'Kind', 'c', () => this.act.kind()),
      button('same', 'Same words', 's', () => this.act.same()),
    );
    const made = [title, quote];
    if (difference) made.push(this.difference(difference, two, text));
    made.push(buttons);
    if (live) {
      made.push(make('div', 'bounds',
        make('span', 'told', 'Begin'),
        arrow('‹', 'begin one character earlier (Alt ←)', () => this.act.move('b', -1)),
        arrow('›', 'begin one character later (Alt →)', () => this.act.move('b', 1)),
        make('span', 'told', 'End'),
        arrow('‹', 'end one character earlier (Shift ←)', () => this.act.move('e', -1)),
        arrow('›', 'end one character later (Shift →)', () => this.act.move('e', 1)),
        make('span', 'told', `${span.b}–${span.e}`)));
    }
    return made;
  }

  difference(difference, two, text) {
    const side = (name, spans) => make('div', 'side-of', make('b', '', name),
      ...(spans.length ? spans.map(s => make('span', '', chip(s.k), ' ', text.slice(s.b, s.e))) : [make('span', 'told', 'nothing here')]));
    const choices = make('div', 'acts',
      button('left', two[0], '1', () => this.act.choose('left')), button('right', two[1], '2', () => this.act.choose('right')),
      button('both', 'Both', '3', () => this.act.choose('both')), button('none', 'Neither', '4', () => this.act.choose('none')));
    return make('div', 'difference', side(two[0], difference.left), side(two[1], difference.right), choices);
  }

  facts(why, span, text) {
    const box = make('div', 'facts-box');
    const list = make('dl', 'facts-list');
    const facts = [...why.facts];
    const [kind, at] = span.was ? [span.was[2], span.was] : [span.k, [span.b, span.e]];
    if (kind !== span.k || at[0] !== span.b || at[1] !== span.e) facts.push(['Found as', `${kind}, ${at[0]}–${at[1]}`]);
    if (span.m && isLive(span)) facts.push(['Written as', span.m.length ? span.m.map(m => m[2] || '(removed)').join(' … ') : 'left readable']);
    for (const [name, value] of facts) list.append(make('div', '', make('dt', '', name), make('dd', '', value)));
    box.append(list);
    if (why.voices.length) {
      box.append(make('h4', '', `Candidates here (${why.voices.length})`));
      const voices = make('ul', 'voices');
      for (const v of why.voices) {
        const words = text.slice(v.b, v.e);
        voices.append(make('li', '',
          make('div', '', chip(v.k), ' ', make('span', 'told', `${v.src}${v.rule ? ' · ' + v.rule : ''} · ${v.c.toFixed(2)}`)),
          ...(v.b === span.b && v.e === span.e ? [] : [make('div', 'words small', words.length > 120 ? words.slice(0, 120) + '…' : words)]),
          make('div', 'outcome', v.why || 'no resolver ran')));
      }
      box.append(voices);
    }
    return box;
  }
}

function hint() {
  return make('p', 'told', 'Step through the spans with ', make('kbd', '', 'j'), ' and ', make('kbd', '', 'k'),
    ', or click one. Select text to add a span. ', make('kbd', '', '?'), ' shows all keys.');
}

function button(id, label, key, act, css = '') {
  const made = make('button', css, label + ' ', make('kbd', '', key));
  made.type = 'button';
  made.id = 'act-' + id;
  made.addEventListener('click', act);
  return made;
}

function arrow(sign, what, act) {
  const made = make('button', 'arrow', sign);
  made.type = 'button';
  made.title = made.ariaLabel = what[0].toUpperCase() + what.slice(1);
  made.addEventListener('click', act);
  return made;
}

export function announced(span, text, n, of) {
  return `${named(span.k)}, ${text.slice(span.b, Math.min(span.e, span.b + 200))}, ${told(span)}, ${n} of ${of}`;
}
