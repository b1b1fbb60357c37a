/** Events of a match one after another: own shot, pause, answer of the others. */

import { announce } from '../dom.js';
import { play } from '../kit/effects.js';
import { sound } from './sound.js';

/** Milliseconds between an act and its answer. */
const PAUSE = 500;

/** @typedef {ReturnType<typeof import('./outcome.js').actsOf>[number] & { said?: string }} Act */

export class Stage {
  /** @param {import('./boards.js').Boards} boards @param {() => void} draw redraws the boards
   * @param {AbortSignal} signal */
  constructor(boards, draw, signal) {
    this.boards = boards;
    this.draw = draw;
    /** @type {Act[]} acts still to be shown */
    this.coming = [];
    /** The seas before those acts. @type {Schema<'SeaView'>[]} */
    this.before = [];
    this.round = 0;
    signal.addEventListener('abort', () => this.settle());
  }

  /** The visible part of a view, without acts still to come. @param {Schema<'Match'>} view */
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

  /** @param {Act[]} acts @param {Schema<'SeaView'>[]} before @returns {Promise<void>} when shown */
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

  /** Ends early on a tap or a key. @returns {Promise<void>} */
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
