/** Effects: a shell arrives, a splash or a burst, a ship lists and sinks. */

import { svg } from '../dom.js';
import { CELL, drawShip } from './ships.js';

/**
 * @typedef {{ cell: string, kind: 'miss' | 'hit' | 'sunk' | 'near', text?: string, ship?: { cells: string[], look?: string } }} Happening
 * @typedef {{ speed?: number, vibrate?: boolean, impact?: (kind: Happening['kind']) => void }} How
 * @typedef {import('../board/board.js').SeaBoard} SeaBoard
 */

/** Ends the effects playing on a board. @type {WeakMap<SeaBoard, () => void>} */
const playing = new WeakMap();

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Milliseconds of the phases of one shot. */
const [FLIGHT, SPLASH, SINKING, OVER, STAGGER] = [250, 450, 500, 1500, 120];

/** Plays events on a board that already shows them: the marks of their cells appear with the shells.
 * @param {SeaBoard} board @param {Happening[]} events @param {How} [how]
 * @returns {Promise<void>} finished or skipped */
export async function play(board, events, { speed = 1, vibrate = true, impact = () => {} } = {}) {
  playing.get(board)?.();
  if (!events.length || !speed) return;
  const stop = new AbortController();
  const { signal } = stop;
  playing.set(board, () => stop.abort());
  board.hold(events.map(({ cell }) => cell));
  const skip = () => stop.abort();
  // The tap that began this must not end it.
  setTimeout(() => {
    if (signal.aborted) return;
    addEventListener('pointerdown', skip, { capture: true, signal });
    addEventListener('keydown', skip, { capture: true, signal });
  });
  const stage = svg('g', { class: 'effects', 'aria-hidden': 'true' });
  board.stage(stage);
  const wait = (/** @type {number} */ time) =>
    new Promise((/** @type {(value?: any) => void} */ done) => {
      if (signal.aborted) return done();
      const timer = setTimeout(done, time / speed);
      signal.addEventListener('abort', () => (clearTimeout(timer), done()));
    });
  const scene = { board, stage, speed, wait, signal };
  try {
    await Promise.all(
      events.map(async (event, i) => {
        if (still()) await wait(i ? 0 : 60);
        else (await wait(i * STAGGER), await shell(scene, event));
        board.release([event.cell]);
        if (signal.aborted && i) return;
        impact(event.kind);
        if (vibrate && !signal.aborted)
          navigator.vibrate?.(event.kind === 'sunk' ? [60, 40, 120] : event.kind === 'hit' ? 50 : 12);
        await arrived(scene, event);
      }),
    );
  } finally {
    stop.abort();
    stage.remove();
    board.release(events.map(({ cell }) => cell));
    if (playing.get(board) && signal.aborted) playing.delete(board);
  }
}

/** @typedef {{ board: SeaBoard, stage: SVGElement, speed: number, wait: (time: number) => Promise<void>, signal: AbortSignal }} Scene */

/** Shows an element for a time. @param {Scene} scene @param {SVGElement} element @param {Keyframe[]} frames
 * @param {number} time @param {string} [easing] */
function shown({ stage, speed }, element, frames, time, easing = 'ease-out') {
  stage.append(element);
  const run = element.animate(frames, { duration: time / speed, easing, fill: 'forwards' });
  run.finished.then(
    () => element.remove(),
    () => {},
  );
}

/** A shell flies in an arc, with its shadow below. @param {Scene} scene @param {Happening} event */
async function shell(scene, { cell }) {
  const spot = scene.board.spot(cell);
  if (!spot || scene.signal.aborted) return;
  const { x, y, s } = spot;
  const { x: x0, y: y0 } = scene.board.edge();
  const top = { x: (x0 + x) / 2, y: Math.min(y, y0) - 50 - Math.abs(x - x0) / 5 };
  const at = (/** @type {number} */ u) => [
    (1 - u) ** 2 * x0 + 2 * u * (1 - u) * top.x + u * u * x,
    (1 - u) ** 2 * y0 + 2 * u * (1 - u) * top.y + u * u * y,
  ];
  const steps = Array.from({ length: 9 }, (_, i) => at(i / 8).map(Math.round));
  const [arc, ball, shadow] = [
    svg('path', { class: 'shell-arc', d: `M${x0} ${y0}Q${top.x} ${top.y} ${x} ${y}` }),
    svg('circle', { class: 'shell', r: 4.5 * s }),
    svg('ellipse', { class: 'shell-shadow', rx: 5 * s, ry: 2.5 * s }),
  ];
  shown(scene, arc, [{ opacity: 0 }, { opacity: 0.9 }, { opacity: 0.7 }], FLIGHT + 150);
  shown(
    scene,
    shadow,
    [{ transform: `translate(${x0}px, ${y0}px)` }, { transform: `translate(${x}px, ${y}px)` }],
    FLIGHT,
    'linear',
  );
  shown(
    scene,
    ball,
    steps.map(([bx, by]) => ({ transform: `translate(${bx}px, ${by}px)` })),
    FLIGHT,
    'linear',
  );
  await scene.wait(FLIGHT);
}

/** The effect of a shell. @param {Scene} scene @param {Happening} event */
async function arrived(scene, { cell, kind, text, ship }) {
  const spot = scene.board.spot(cell);
  if (!spot || scene.signal.aborted) return;
  const { x, y, s } = spot;
  const at = `translate(${x}px, ${y}px)`;
  const quiet = still();
  const struck = kind === 'hit' || kind === 'sunk';
  if (!quiet && struck) {
    shown(
      scene,
      svg('path', { class: 'flash', d: FLASH }),
      [
        { transform: `${at} scale(${0.2 * s})`, opacity: 1 },
        { transform: `${at} scale(${1.25 * s}) rotate(14deg)`, opacity: 1, offset: 0.6 },
        { transform: `${at} scale(${1.4 * s}) rotate(20deg)`, opacity: 0 },
      ],
      320,
    );
    for (let i = 0; i < 6; i++) {
      const [dx, dy] = [Math.cos(i * 1.05 + 0.4) * 34 * s, Math.sin(i * 1.05 + 0.4) * 34 * s];
      shown(
        scene,
        svg('circle', { class: 'splinter', r: 2 * s }),
        [
          { transform: at, opacity: 1 },
          { transform: `translate(${x + dx}px, ${y + dy}px)`, opacity: 0 },
        ],
        420,
      );
    }
    for (let i = 0; i < 5; i++) smoke(scene, x, y, s, i);
  } else if (!quiet) {
    for (let i = 0; i < 2; i++)
      shown(
        scene,
        svg('circle', { class: 'splash-ring', r: 9 }),
        [
          { transform: `${at} scale(${0.3 * s})`, opacity: 1 },
          { transform: `${at} scale(${(2 + i) * s})`, opacity: 0 },
        ],
        SPLASH + i * 120,
      );
    shown(
      scene,
      svg('path', { class: 'splash', d: FLASH }),
      [
        { transform: `${at} scale(${0.2 * s})`, opacity: 1 },
        { transform: `${at} scale(${0.75 * s})`, opacity: 0.9, offset: 0.5 },
        { transform: `${at} scale(${0.5 * s})`, opacity: 0 },
      ],
      SPLASH,
    );
  }
  if (kind !== 'sunk') {
    if (text) word(scene, text, spot, struck ? 'word struck' : 'word');
    await scene.wait(650);
    return;
  }
  const lost = scene.board.lost(cell, ship);
  if (!quiet && lost) {
    // The intact ship lists over its wreck and disappears.
    const whole = drawShip(lost.cells, { look: lost.look });
    const [cx, cy] = middleOf(lost.cells);
    whole.style.transformOrigin = `${cx}px ${cy}px`;
    shown(
      scene,
      whole,
      [
        { transform: 'rotate(0)', opacity: 1 },
        { transform: 'rotate(8deg)', opacity: 1, offset: 0.65 },
        { transform: 'rotate(9deg) scale(.96)', opacity: 0 },
      ],
      SINKING + 300,
      'ease-in-out',
    );
    lost.element?.animate([{ opacity: 0 }, { opacity: 0, offset: 0.5 }, { opacity: 1 }], {
      duration: (SINKING + 300) / scene.speed,
    });
    for (const [i, spotted] of lost.cells.entries())
      smoke(scene, spotted.column * CELL + 20, spotted.row * CELL + 20, 1, i);
  }
  if (text) scene.board.banner(text, scene.signal);
  await scene.wait(SINKING + OVER);
}

/** @param {{ row: number, column: number }[]} cells */
const middleOf = (cells) => [
  (cells.reduce((sum, { column }) => sum + column, 0) / cells.length) * CELL + 20,
  (cells.reduce((sum, { row }) => sum + row, 0) / cells.length) * CELL + 20,
];

/** A word over a cell, fading. @param {Scene} scene @param {string} text
 * @param {{ x: number, y: number, s: number }} spot @param {string} name */
function word(scene, text, { x, y, s }, name) {
  const [lo, hi] = scene.board.width();
  const bottom = scene.board.edge().y;
  const at = Math.min(hi - 8 * text.length, Math.max(lo + 8 * text.length, x));
  const line = svg('text', { class: name, x: at, y: y + (y > bottom - 50 ? -26 : 40 * Math.max(0.7, s)) }, text);
  shown(
    scene,
    line,
    [
      { opacity: 0, transform: 'translateY(-6px)' },
      { opacity: 1, transform: 'none', offset: 0.15 },
      { opacity: 1, transform: 'none', offset: 0.7 },
      { opacity: 0, transform: 'translateY(6px)' },
    ],
    900,
  );
}

/** @param {Scene} scene @param {number} x @param {number} y @param {number} s @param {number} i */
function smoke(scene, x, y, s, i) {
  const puff = svg('circle', { class: 'smoke', r: (5 + (i % 3)) * s });
  shown(
    scene,
    puff,
    [
      { transform: `translate(${x}px, ${y - 4}px) scale(.5)`, opacity: 0 },
      { opacity: 0.8, offset: 0.3 },
      { transform: `translate(${x + (14 + 6 * i) * s}px, ${y - (16 + 4 * i) * s}px) scale(1.5)`, opacity: 0 },
    ],
    700 + i * 60,
  );
}

const FLASH = 'M0-26 5-10 16-19 11-5 26-3 12 4 21 16 6 10 3 25-4 11-16 19-11 5-26 2-11-4-20-17-6-10Z';
