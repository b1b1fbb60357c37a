/** A real match that plays itself: the shipped one, until the server has a finished match. */

import './board/board.js';
import { api, once, pause } from './api.js';
import { fill, h } from './dom.js';
import { t } from './i18n/index.js';
import { flags } from './kit/flags.js';
import { fold, viewAt } from './match/fold.js';
import { allReports, seatOf } from './match/told.js';
import { cardOf } from './titles.js';
import { link } from './ui.js';

/** @typedef {{ view: Schema<'Match'>, board: Schema<'Board'>, reports: Schema<'Report'>[],
 *   classes: import('./titles.js').Card['classes'] }} Recorded */

/** Milliseconds per step; longer for a sinking. */
const [STEP, SINKING] = [1500, 3200];
/** Endings with little to see. */
const DULL = ['resignation', 'time', 'aborted', 'agreement'];

/** The shipped match. @returns {Promise<Recorded>} */
export async function recorded() {
  return (await fetch(new URL('demonstration.json', import.meta.url))).json();
}

/** A match of this server, as a recording. @param {Schema<'MatchSummary'>} one @param {AbortSignal} signal */
export async function recordOf(one, signal) {
  const path = /** @type {const} */ (`/v1/matches/${one.id}`);
  const [board, view, card, reports] = await Promise.all([
    once(`${path}/board`),
    api.get(path, {}, signal),
    cardOf(one),
    allReports(one.id, signal),
  ]);
  return { view, board, reports, classes: card.classes };
}

/** The server's newest match that fits on two seas; null: none. @param {AbortSignal} signal */
async function newest(signal) {
  const { items } = await api.get('/v1/matches', { status: 'finished', limit: 10 }, signal);
  for (const one of items) {
    if (!one.spectators || one.seats.length !== 2 || DULL.includes(one.result?.reason ?? DULL[0])) continue;
    const board = await once(`/v1/matches/${one.id}/board`);
    const flat = board.seas.length === 2 && board.seas.every(({ layers, rows }) => layers.length === 1 && rows <= 12);
    if (flat) return recordOf(one, signal);
  }
  return null;
}

/** Two seas with a match that plays itself. @param {AbortSignal} signal */
export function demonstration(signal) {
  const names = h('div', { class: 'fleets' });
  const seas = h('div', { class: 'both-seas' });
  const told = h('p', { class: 'told' });
  const element = h('div', { class: 'demonstration' }, names, seas, told);
  void run(signal, { names, seas, told }).catch(() => {});
  return element;
}

/** @param {AbortSignal} signal @param {Record<'names' | 'seas' | 'told', HTMLElement>} parts */
async function run(signal, parts) {
  let shown = await recorded();
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let own = false;
  for (let round = 0; !signal.aborted; round++) {
    const show = stage(shown, parts, own);
    if (still) return show.all();
    // The first round begins in the middle of the battle.
    for (let step = round ? 0 : Math.floor(show.count * 0.45); step < show.count; step++) {
      const took = show.step(step, round > 0 || step > 0);
      await pause(took, signal);
      while (document.hidden) await pause(1000, signal);
      if (round || own || step % 8 !== 3) continue;
      const found = await newest(signal).catch(() => null);
      own = true;
      if (!found) continue;
      shown = found;
      round = 0;
      break;
    }
    await pause(SINKING, signal);
  }
}

/** @param {Recorded} match @param {Record<'names' | 'seas' | 'told', HTMLElement>} parts
 * @param {boolean} own of this server */
function stage({ view, board, reports, classes }, parts, own) {
  const steps = fold(view, reports).filter((step) => step.told.length);
  const player = (/** @type {number} */ seat) => view.seats.find((one) => one.seat === seat)?.player;
  const boards = new Map(
    board.seas.map((sea) => {
      const owner = player(view.seas.find(({ id }) => id === sea.id)?.owner ?? 0);
      const element = /** @type {import('./board/board.js').SeaBoard} */ (document.createElement('sea-board'));
      element.draw(sea, t('waters-of', { name: owner?.username ?? '' }), true, classes);
      return /** @type {const} */ ([sea.id, { element, owner }]);
    }),
  );
  fill(
    parts.names,
    [...boards.values()].map(({ owner }) => h('span', { class: 'player' }, owner && flags(owner.id), owner?.username)),
  );
  fill(
    parts.seas,
    [...boards.values()].map(({ element }) => element),
  );
  const show = (/** @type {import('./match/fold.js').Step | undefined} */ step) => {
    for (const sea of viewAt(view, step).seas) {
      const last = new Set((step?.told ?? []).filter(([where]) => where === sea.id).map(([, cell]) => cell));
      const ships = sea.ships.flatMap((ship) => (ship.cells ? [{ ...ship, cells: ship.cells, own: true }] : []));
      boards.get(sea.id)?.element.show({ marks: sea.marks, ships, fresh: last, last });
    }
  };
  /** @param {import('./match/fold.js').Step} step */
  const line = (step) => {
    const [sea, cell] = step.told.at(-1) ?? ['', ''];
    const kind = step.marks.get(sea)?.get(cell)?.kind ?? '';
    const ship = view.seas.find(({ id }) => id === sea)?.ships.find(({ cells }) => cells?.includes(cell));
    const title = classes.find((one) => one.class === ship?.class)?.title ?? '';
    const by = player(seatOf(step.report));
    const given = { name: by?.username ?? '', cell, ship: title };
    const known = ['miss', 'hit', 'sunk'].includes(kind) ? kind : 'fired';
    const events = step.told.map(([where, at]) => ({
      sea: where,
      cell: at,
      kind: /** @type {'miss' | 'hit' | 'sunk'} */ (step.marks.get(where)?.get(at)?.kind ?? 'miss'),
    }));
    fill(
      parts.told,
      by && flags(by.id),
      t(`demo-${known}`, given),
      own && [' ', link(`/match/${view.id}/replay`, t('watch'))],
    );
    return events;
  };
  return {
    count: steps.length,
    all: () => {
      show(steps.at(-1));
      const last = steps.at(-1);
      if (last) line(last);
    },
    /** @param {number} number @param {boolean} felt shells are shown */
    step: (number, felt) => {
      const step = steps[number];
      show(step);
      const events = line(step);
      for (const [id, { element }] of felt ? boards : []) {
        const here = events.filter(({ sea }) => sea === id);
        if (here.length) void import('./kit/effects.js').then(({ play }) => play(element, here, { vibrate: false }));
      }
      return events.some(({ kind }) => kind === 'sunk') ? SINKING : STEP;
    },
  };
}
