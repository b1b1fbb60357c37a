/** One shot a day: a player's knowledge of a sea in a finished match, one cell to choose, and its chance. */

import { api } from '../api.js';
import { thumbnail } from '../board/thumbnail.js';
import { shipsMove } from '../board/wrecks.js';
import { recorded, recordOf } from '../demonstration.js';
import { fill, h } from '../dom.js';
import { countdown } from '../format.js';
import { language, t } from '../i18n/index.js';
import { play } from '../kit/effects.js';
import { fleet } from '../kit/ships.js';
import { recall, remember } from '../memory.js';
import { answer, dayOf, drawn, laid, puzzleOf } from '../puzzle.js';
import { href } from '../router.js';
import { cardOf } from '../titles.js';
import { link, shareButton } from '../ui.js';

/** Storage key of the last puzzle, matches read to find one, and milliseconds of a day. */
const [KEY, TRIES, DAY] = ['puzzle', 6, 86_400_000];
/** Lower chances aren't written on the sea. */
const NOTED = 0.05;

/** @typedef {import('../demonstration.js').Recorded} Recorded */
/** @typedef {{ day: string, match: string, cell: string, streak: number }} Kept `match` is empty for the shipped one */
/** @typedef {{ day: string, id: string, match: Recorded, puzzle: import('../puzzle.js').Puzzle }} Today */

/** @returns {Partial<Kept>} */
const kept = () => recall(KEY) ?? {};

/** Today's puzzle, from matches finished before the day began, else from the shipped match. @param {AbortSignal} signal
 * @returns {Promise<Today>} */
async function today(signal) {
  const day = dayOf(Date.now());
  const { day: last, match: known } = kept();
  /** @type {Schema<'MatchSummary'>[]} */
  let candidates = [];
  if (last !== day) {
    const query = /** @type {const} */ ({ status: 'finished', created_until: `${day}T00:00:00Z`, limit: 50 });
    const { items } = await api.get('/v1/matches', query, signal);
    const over = items.filter((one) => one.spectators && one.seats.length === 2 && (one.finished_at ?? day) < day);
    candidates = drawn(day, over, ({ id }) => id).slice(0, TRIES);
  } else if (known) candidates = [/** @type {any} */ (await api.get(`/v1/matches/${known}`, {}, signal))];
  for (const one of candidates) {
    const card = await cardOf(one);
    if (shipsMove(card) || card.board.seas.some(({ layers }) => layers.length > 1)) continue;
    const match = await recordOf(one, signal);
    const puzzle = puzzleOf(match, day);
    if (puzzle) return { day, id: one.id, match, puzzle };
  }
  const match = await recorded();
  const puzzle = puzzleOf(match, day);
  if (!puzzle) throw new Error(`no puzzle for ${day}`);
  return { day, id: '', match, puzzle };
}

/** @param {Today} today */
function question({ match: { view }, puzzle: { sea, seat, afloat, hurt } }) {
  const owner = view.seas.find(({ id }) => id === sea)?.owner;
  const name = (/** @type {number | null | undefined} */ of) =>
    view.seats.find((one) => one.seat === of)?.player.username ?? t('nobody');
  const ask = t('puzzle-ask', { name: name(seat), other: name(owner), count: afloat });
  return {
    name: name(seat),
    other: name(owner),
    text: `${ask} ${t(hurt ? 'puzzle-hurt' : 'puzzle-hidden', { count: hurt })}`,
  };
}

const percent = new Intl.NumberFormat(language, { style: 'percent' });
const list = new Intl.ListFormat(language);

/** The result of a shot, in sentences. @param {Today} today @param {string} cell @param {string} name */
function told({ match, puzzle }, cell, name) {
  const { odds, best, cells } = puzzle;
  const [own, most] = [odds.get(cell) ?? 0, odds.get(best[0]) ?? 0];
  const did = (/** @type {string} */ at) => t(`did.${answer(match, puzzle, at)}.other`);
  const choice = { count: best.length, cells: list.format(best.slice(0, 4)), chance: percent.format(most) };
  return [
    t('puzzle-chance', { cell, chance: percent.format(own) }),
    own === most ? t('puzzle-best') : t('puzzle-better', choice),
    cells.length === 1
      ? t('shot.other', { name, where: cells[0], did: did(cells[0]) })
      : t('shots.other', { name, each: cells.map((at) => t('shot-each', { cell: at, did: did(at) })).join('; ') }),
  ];
}

/** The wanted ships, with those sunk by then. @param {Today} today */
function shipsOf({ match, puzzle }) {
  const hit = new Set(puzzle.marks.map((mark) => mark.cell));
  return (match.view.seas.find(({ id }) => id === puzzle.sea)?.ships ?? []).map((ship) => {
    const cells = /** @type {string[]} */ (ship.cells ?? []);
    const title = match.classes.find((one) => one.class === ship.class)?.title ?? ship.name;
    const lost = cells.every((cell) => hit.has(cell));
    return { ...ship, cells, name: lost ? `${title}, ${t('lost')}` : title, hits: null, afloat: lost ? false : null };
  });
}

/** The same ships without their cells. @param {Today} today */
const hidden = (today) => shipsOf(today).map((ship) => ({ ...ship, cells: null }));

/** @type {import('../router.js').Maker} */
export async function puzzlePage({ signal }) {
  const found = await today(signal);
  const { day, id, match, puzzle } = found;
  const { name, other, text } = question(found);
  const sea = match.board.seas.find((one) => one.id === puzzle.sea);
  const ships = shipsOf(found);
  const board = /** @type {import('../board/board.js').SeaBoard} */ (document.createElement('sea-board'));
  if (sea) board.draw(sea, t('waters-of', { name: other }), false, laid(match.classes));
  const open = [...puzzle.odds.keys()];
  const result = h('div', { role: 'status' });
  const fire = h('button', { type: 'button', class: 'primary wide', disabled: true }, t('puzzle-choose'));
  const bar = h('div', { class: 'puzzle-bar' }, fire);
  let [chosen, over] = ['', false];

  const aim = (/** @type {string} */ cell) => {
    if (over || !puzzle.odds.has(cell)) return;
    if (cell === chosen) return shoot();
    chosen = cell;
    const paint = new Map(open.map((one) => [one, { state: one === cell ? 'chosen' : 'open' }]));
    board.show({ paint });
    fire.disabled = false;
    fire.textContent = t('puzzle-fire', { cell });
  };

  /** Reveals the ships and the chances. @param {string} cell @param {number} streak */
  const reveal = (cell, streak) => {
    over = true;
    const kind = /** @type {'miss' | 'hit' | 'sunk'} */ (answer(match, puzzle, cell));
    const most = puzzle.odds.get(puzzle.best[0]) ?? 1;
    const noted = [...puzzle.odds].filter(([, odd]) => odd >= NOTED);
    board.show({
      active: false,
      paint: new Map(),
      marks: [...puzzle.marks, { cell, kind }],
      ships: ships.map((ship) => ({ ...ship, afloat: ship.afloat ?? (kind !== 'sunk' || !ship.cells.includes(cell)) })),
      heat: new Map([...puzzle.odds].map(([one, odd]) => [one, odd / most])),
      pencil: new Map(noted.map(([one, odd]) => [one, String(Math.round(100 * odd))])),
      patterns: [{ cells: puzzle.cells, past: true }],
      last: new Set([cell]),
    });
    const shot = t(`felt-${kind}`);
    const said = told(found, cell, name);
    const line = t('puzzle-streak', { count: streak });
    fill(
      result,
      h('h2', {}, shot),
      said.map((one) => h('p', {}, one)),
      h('p', {}, h('b', {}, line), ' ', h('small', {}, t('puzzle-streak-more'))),
      h('p', { class: 'muted' }, t('puzzle-legend')),
    );
    const summary = t('puzzle-shared', {
      day,
      shot,
      chance: percent.format(puzzle.odds.get(cell) ?? 0),
      best: percent.format(most),
      streak: line,
    });
    fill(
      bar,
      h(
        'p',
        { class: 'buttons' },
        shareButton('/variants/puzzle', summary),
        id && link(`/match/${id}/replay`, t('watch'), 'button'),
      ),
      h(
        'p',
        { class: 'muted' },
        t('puzzle-next'),
        ' ',
        countdown(new Date(Date.parse(day) + DAY).toISOString(), signal),
      ),
    );
  };

  const shoot = () => {
    const before = kept();
    const row = before.day === dayOf(Date.parse(day) - DAY) ? (before.streak ?? 0) : 0;
    const good = answer(match, puzzle, chosen) !== 'miss' || puzzle.best.includes(chosen);
    const streak = good ? row + 1 : 0;
    remember(KEY, { day, match: id, cell: chosen, streak });
    const pressed = bar.contains(document.activeElement);
    reveal(chosen, streak);
    if (pressed) bar.querySelector('button')?.focus({ preventScroll: true });
    const kind = /** @type {'miss' | 'hit' | 'sunk'} */ (answer(match, puzzle, chosen));
    result.scrollIntoView({ block: 'nearest' });
    void play(board, [{ cell: chosen, kind, text: t(`felt-${kind}`) }]);
  };

  board.show({
    marks: puzzle.marks,
    fleet: hidden(found),
    active: true,
    paint: new Map(open.map((one) => [one, { state: 'open' }])),
  });
  board.addEventListener('sea-cell', (event) => aim(/** @type {CustomEvent} */ (event).detail.cell));
  fire.addEventListener('click', shoot);
  const { day: last, cell = '', streak = 0 } = kept();
  if (last === day && puzzle.odds.has(cell)) reveal(cell, streak);
  return {
    title: t('puzzle'),
    body: h(
      'div',
      { class: 'puzzle' },
      h('div', {}, h('h1', {}, t('puzzle')), h('p', {}, text)),
      h('section', { 'aria-label': t('waters-of', { name: other }) }, board),
      h('div', { class: 'puzzle-side' }, fleet(ships, match.classes), result, bar),
    ),
  };
}

/** The link on the home page: the sea as a thumbnail. @param {AbortSignal} signal */
export async function puzzleEntry(signal) {
  const found = await today(signal);
  const { match, puzzle, day } = found;
  const sea = match.board.seas.find((one) => one.id === puzzle.sea);
  const { day: last, streak = 0 } = kept();
  return [
    sea && thumbnail(sea, { marks: puzzle.marks, ships: hidden(found), classes: laid(match.classes) }, ''),
    h(
      'div',
      {},
      h('h2', {}, h('a', { href: href('/variants/puzzle') }, t('puzzle'))),
      h('p', {}, question(found).text, last === day && streak > 0 && [' ', t('puzzle-streak', { count: streak })]),
    ),
  ];
}
