/** Pieces for many pages. */

import { Problem, Unreachable, api } from './api.js';
import { fill, h } from './dom.js';
import { clockText, countdown, words } from './format.js';
import { t } from './i18n/index.js';
import { flags } from './kit/flags.js';
import { href, share as shared } from './router.js';
import { me } from './session.js';

/** @param {Schema<'ProblemError'>} fault */
const faultText = ({ detail }) => detail.replaceAll('`', '');

/** A fault without a field: its subject and the error. @param {Schema<'ProblemError'>} fault */
function named(fault) {
  const place = fault.pointer.split('/').findLast((part) => /[a-z]/.test(part));
  return [place ? h('b', {}, `${words(place)}: `) : '', faultText(fault)];
}

/** A failure next to its cause, in the server's words; each fault once. @param {unknown} failure
 * @param {Schema<'ProblemError'>[]} [faults] faults shown here; default: all */
export function problemBox(failure, faults = failure instanceof Problem ? failure.errors : []) {
  const text =
    failure instanceof Problem
      ? (faults.length && failure.body?.title) || failure.message
      : failure instanceof Unreachable
        ? t('not-reached')
        : String(failure);
  return h(
    'div',
    { class: 'refusal', role: 'alert' },
    h('p', {}, text),
    faults.length > 0 &&
      h(
        'ul',
        {},
        faults.map((fault) => h('li', {}, named(fault))),
      ),
  );
}

/** @param {Schema<'Player'>} player */
export function playerLink(player) {
  if (!player) return h('span', { class: 'muted' }, t('nobody'));
  return h(
    'a',
    { href: href(`/players/${encodeURIComponent(player.username)}`), class: 'player' },
    flags(player.id),
    player.username,
    player.bot && h('small', { class: 'bot' }, ' bot'),
  );
}

/** A button that does something, and shows errors beside it.
 * @param {import('./dom.js').Child | import('./dom.js').Child[]} text @param {() => unknown} work
 * @param {Record<string, any>} [attributes] */
export function action(text, work, attributes = {}) {
  const box = h('span', { class: 'beside' });
  const button = h('button', { type: 'button', ...attributes }, text);
  button.addEventListener('click', async () => {
    button.disabled = true;
    fill(box);
    try {
      await work();
    } catch (failure) {
      fill(box, problemBox(failure));
    } finally {
      button.disabled = false;
    }
  });
  return h('span', { class: 'action' }, button, box);
}

/** A button that shares an address: by the system's dialog if available, else by copying. @param {string} path
 * @param {string} text title @param {string} [kind] */
export function shareButton(path, text, kind) {
  const copied = h('span', { class: 'muted', role: 'status' });
  const share = async () => {
    const url = shared(path);
    if (navigator.share) return navigator.share({ text, url }).catch(() => {});
    await navigator.clipboard?.writeText(`${text} ${url}`);
    copied.textContent = t('copied');
  };
  return h('span', {}, action(t('share'), share, { class: kind ?? null }), ' ', copied);
}

/** A form with fields read by name. Empty fields are left out.
 * @param {{ submit: string, onSubmit: (values: Record<string, string>) => Promise<void>, class?: string, button?:
 * string, }} how `button`: class of the button
 * @param {(import('./dom.js').Child | import('./dom.js').Child[])[]} children */
export function form({ submit, onSubmit, class: kind = 'form', button: look = 'primary' }, ...children) {
  const box = h('div');
  const button = h('button', { type: 'submit', class: look }, submit);
  const element = h('form', { class: kind }, ...children, box, h('div', { class: 'buttons' }, button));
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    /** @type {Record<string, string>} */
    const values = {};
    for (const [name, value] of new FormData(element)) if (value !== '') values[name] = String(value);
    button.disabled = true;
    fill(box);
    unmark(element);
    try {
      await onSubmit(values);
    } catch (failure) {
      const faults = failure instanceof Problem ? failure.errors : [];
      const rest = faults.filter((fault) => !mark(element, fault));
      if (rest.length || !faults.length) fill(box, problemBox(failure, rest));
    } finally {
      button.disabled = false;
    }
  });
  return element;
}

/** Removes messages beside fields. @param {HTMLFormElement} element */
function unmark(element) {
  for (const note of element.querySelectorAll('.field > .refusal')) note.remove();
  for (const input of element.querySelectorAll('[name]')) input.removeAttribute('aria-invalid');
}

/** Shows a fault beside its field; false: no such field. @param {HTMLFormElement} element
 * @param {Schema<'ProblemError'>} fault */
function mark(element, fault) {
  const names = fault.pointer.split('/').filter(Boolean).reverse();
  const inputs = names.map((name) => element.querySelector(`.field [name="${CSS.escape(name)}"]`));
  const input = inputs.find((found) => found instanceof HTMLElement && found.offsetParent);
  if (!(input instanceof HTMLElement)) return false;
  input.setAttribute('aria-invalid', 'true');
  input.focus();
  input.closest('.field')?.append(h('p', { class: 'refusal', role: 'alert' }, faultText(fault)));
  return true;
}

let fields = 0;

/** @param {string} text @param {HTMLElement} control @param {string} [help] */
export function labelled(text, control, help) {
  control.id ||= `field-${++fields}`;
  const note = help ? h('small', { id: `${control.id}-help` }, help) : null;
  if (note) control.setAttribute('aria-describedby', note.id);
  const kind = control instanceof HTMLInputElement && control.type === 'checkbox' ? 'field check' : 'field';
  return h('div', { class: kind }, h('label', { for: control.id }, text), control, note);
}

/** @param {string} name @param {[string, string][]} options values and texts @param {string} [chosen] */
export function select(name, options, chosen) {
  return h(
    'select',
    { name },
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
}

/** A paged list: its first page, and a button for the next. @template {string} P @param {PathOf<'get', P>} path
 * @param {QueryOf<'get', P>} query @param {AbortSignal} signal @param {(item: ItemOf<P>) => Node} draw
 * @param {Node} empty shown without items */
export async function pages(path, query, signal, draw, empty) {
  const list = h('ul', { class: 'cards' });
  const more = h('div');
  const load = async (/** @type {string | null} */ cursor) => {
    const answer = await api.get(path, { limit: 20, ...query, ...(cursor && { cursor }) }, signal);
    const page = /** @type {{ items: ItemOf<P>[], next_cursor: string | null }} */ (answer);
    list.append(...page.items.map((item) => h('li', {}, draw(item))));
    fill(more, page.next_cursor && action(t('more'), () => load(page.next_cursor)));
    return page.items.length;
  };
  return (await load(null)) ? h('div', {}, list, more) : empty;
}

/** A part of a page that can fail alone: its error appears in its place, and the rest of the page stays. It is empty
 * for readers without access, such as guests. @template T @param {Promise<T>} work */
export async function part(work) {
  try {
    return await work;
  } catch (failure) {
    if (failure instanceof Problem || failure instanceof Unreachable)
      return failure instanceof Problem && failure.status === 403 ? null : problemBox(failure);
    throw failure;
  }
}

/** The content of an empty page. @param {string} text @param {Node[]} links */
export function nothing(text, ...links) {
  return h(
    'div',
    { class: 'nothing' },
    h('p', {}, text),
    links.length > 0 &&
      h(
        'p',
        {},
        links.flatMap((link) => [link, ' ']),
      ),
  );
}

/** @param {string} path @param {string} text @param {string} [kind] */
export function link(path, text, kind) {
  return h('a', { href: href(path), class: kind ?? null }, text);
}

/** @param {string} caption @param {string[]} heads @param {import('./dom.js').Child[][]} rows */
export function table(caption, heads, rows) {
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', { class: 'unseen' }, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((head) => h('th', { scope: 'col' }, head)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  );
}

/** A match in a list; a waiting one shows opponents and clock.
 * @param {Schema<'MatchSummary'> & Partial<Schema<'Turn'>>} match @param {Map<string, string>} titles of variants
 * @param {AbortSignal} signal */
export function matchCard(match, titles, signal) {
  const mine = match.seats.find((seat) => seat.player?.username === me()?.username);
  const waits = mine && match.to_act.includes(mine.seat);
  const players = match.opponents ?? match.seats.map((seat) => seat.player);
  const names = players.map((player) => player?.username ?? t('nobody')).join(' – ');
  return h(
    'a',
    { href: href(`/match/${match.id}`), class: waits ? 'card waits' : 'card' },
    h('b', {}, titles.get(match.variant) ?? match.variant),
    h('span', {}, names),
    h(
      'span',
      { class: 'meta' },
      waits ? t('your-turn') : t(`status-${match.status}`),
      ' ',
      match.deadline ? countdown(match.deadline, signal) : match.clock ? clockText(match.clock) : null,
    ),
  );
}

/** The terms of a challenge, ladder or tournament in a line.
 * @param {{ seats?: number | unknown[] | null, clock: Schema<'Clock'>, rated: boolean }} terms */
export function termsText(terms) {
  const seats = typeof terms.seats === 'number' ? terms.seats : (terms.seats?.length ?? 2);
  return [
    seats > 2 ? t('seats-count', { count: seats }) : '',
    clockText(terms.clock),
    terms.rated ? t('rated') : t('unrated'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** @param {{ nation: string, title: string }[]} nations */
export function nationChoice(nations) {
  return select('nation', [
    ['', t('any-nation')],
    ...nations.map(({ nation, title }) => /** @type {[string, string]} */ ([nation, title])),
  ]);
}
