/** What has happened, one after another: one's own shot, a pause, the answer of the others. */

import { announce } from '../dom.js';
import { play } from '../kit/effects.js';
import { sound } from './sound.js';

/** Milliseconds between an act and the answer to it. */
const PAUSE = 500;

/** @typedef {ReturnType<typeof import('./outcome.js').actsOf>[number] & { said?: string }} Act */

export class Stage {
  /** @param {import('./boards.js').Boards} boards @param {() => void} draw draws the boards again
   * @param {AbortSignal} signal */
  constructor(boards, draw, signal) {
    this.boards = boards;
    this.draw = draw;
    /** @type {Act[]} acts that are still to be seen */
    this.coming = [];
    /** The seas as they were before them. @type {Schema<'SeaView'>[]} */
    this.before = [];
    this.round = 0;
    signal.addEventListener('abort', () => this.settle());
  }

  /** What can be seen of a view now: what is still to come is not there yet. @param {Schema<'Match'>} view */
  seen(view) {
    if (!this.coming.length) return view;
    const seas = view.seas.map((sea) => {
      const later = new Set(this.coming.filter((act) => act.sea === sea.id).flatMap(({ cells }) => cells));
      const before = this.before.find(({ id }) => id === sea.id);
      if (!later.size || !before) return sea;
      const shown = sea.marks.filter(({ cell }) => !later.has(cell));
      return { ...sea, ships: before.ships, marks: [...shown, ...before.marks.filter(({ cell }) => later.has(cell))] };
    });
    return { ...view, seas };
  }

  /** Shows everything at once. */
  settle() {
    this.round++;
    this.coming = [];
  }

  /** @param {Act[]} acts @param {Schema<'SeaView'>[]} before @returns {Promise<void>} they were seen */
  async show(acts, before) {
    const waits = this.coming.length > 0;
    if (!waits) this.before = before;
    this.coming.push(...acts);
    if (waits) return;
    const round = ++this.round;
    for (let first = true; this.coming.length && round === this.round; first = false) {
      if (!first) await this.#pause();
      const act = this.coming[0];
      if (!act || round !== this.round) return;
      this.coming.shift();
      this.draw();
      if (act.said) announce(act.said);
      const board = this.boards.parts.get(act.sea)?.board;
      if (board && !document.hidden) await play(board, act.happenings, { impact: sound });
    }
  }

  /** A tap or a key ends it. @returns {Promise<void>} */
  #pause() {
    return new Promise((resolve) => {
      const end = new AbortController();
      const over = () => {
        end.abort();
        resolve();
      };
      setTimeout(over, PAUSE);
      for (const type of ['pointerdown', 'keydown'])
        addEventListener(type, over, { capture: true, signal: end.signal });
    });
  }
}
