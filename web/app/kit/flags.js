/** Signal flags: the letters of the code, and a hoist of two as the sign of an account. */

import { svg } from '../dom.js';

/** @param {string} colours @param {boolean} [upright] */
const stripes = (colours, upright = false) =>
  [...colours].map((colour, i) => {
    const [from, to] = [(i * 12) / colours.length, ((i + 1) * 12) / colours.length];
    return colour + (upright ? `M${from} 0H${to}V12H${from}Z` : `M0 ${from}H12V${to}H0Z`);
  });
const ALL = 'M0 0H12V12H0Z';
const CROSS = 'M4.5 0H7.5V4.5H12V7.5H7.5V12H4.5V7.5H0V4.5H4.5Z';
const SALTIRE = 'M0 0H2L6 4 10 0H12V2L8 6 12 10V12H10L6 8 2 12H0V10L4 6 0 2Z';
const INNER = 'M3.5 3.5H8.5V8.5H3.5Z';

/** Each flag on a square of 12: pairs of a colour and an outline. @type {Record<string, string[]>} */
const FLAGS = {
  A: ['wM0 0H6V12H0Z', 'bM6 0H12L9 6 12 12H6Z'],
  B: ['rM0 0H12L9 6 12 12H0Z'],
  C: stripes('bwrwb'),
  D: ['y' + ALL, 'bM0 3H12V9H0Z'],
  E: stripes('br'),
  F: ['w' + ALL, 'rM6 0 12 6 6 12 0 6Z'],
  G: stripes('ybybyb', true),
  H: stripes('wr', true),
  I: ['y' + ALL, 'kM3 6a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z'],
  J: stripes('bwb'),
  K: stripes('yb', true),
  L: ['y' + ALL, 'kM6 0H12V6H0V12H6Z'],
  M: ['b' + ALL, 'w' + SALTIRE],
  N: ['w' + ALL, 'bM0 0H3V12H6V0H9V12H12V9H0V6H12V3H0Z'],
  O: ['y' + ALL, 'rM0 0H12V12Z'],
  P: ['b' + ALL, 'w' + INNER],
  Q: ['y' + ALL],
  R: ['r' + ALL, 'y' + CROSS],
  S: ['w' + ALL, 'b' + INNER],
  T: stripes('rwb', true),
  U: ['w' + ALL, 'rM0 0H6V12H12V6H0Z'],
  V: ['w' + ALL, 'r' + SALTIRE],
  W: ['b' + ALL, 'wM2 2H10V10H2Z', 'rM4 4H8V8H4Z'],
  X: ['w' + ALL, 'b' + CROSS],
  Y: ['y' + ALL, 'rM0 4 4 0H8L0 8ZM0 12 12 0V4L4 12ZM8 12 12 8V12Z'],
  Z: ['yM0 0H12L6 6Z', 'bM12 0V12L6 6Z', 'rM0 12 6 6 12 12Z', 'kM0 0 6 6 0 12Z'],
};

/** @param {string} letter @param {number} y */
function draw(letter, y = 0) {
  const swallow = letter === 'A' || letter === 'B' ? 'M0 0H12L9 6 12 12H0Z' : ALL;
  return svg(
    'g',
    { transform: `translate(1.5 ${y + 0.5})` },
    (FLAGS[letter] ?? FLAGS.Q).map((part) =>
      svg('path', { class: `flag-${part[0]}`, d: part.slice(1), 'fill-rule': 'evenodd' }),
    ),
    svg('path', { class: 'flag-line', d: swallow }),
  );
}

/** @param {string} letter A to Z */
export function flagOf(letter) {
  return svg('svg', { class: 'flag', viewBox: '0 0 14 13', 'aria-hidden': 'true' }, draw(letter.toUpperCase()));
}

/** The hoist of two flags of an id, always the same. @param {string} id */
export function flags(id) {
  let hash = 7;
  for (const sign of id) hash = (hash * 31 + sign.charCodeAt(0)) >>> 0;
  const letters = Object.keys(FLAGS).filter((letter) => letter !== 'Q');
  const upper = hash % letters.length;
  const lower = (upper + 1 + (Math.floor(hash / letters.length) % (letters.length - 1))) % letters.length;
  return svg(
    'svg',
    { class: 'flags', viewBox: '0 0 14 26', 'aria-hidden': 'true' },
    svg('path', { class: 'flag-pole', d: 'M.8 0V26' }),
    draw(letters[upper]),
    draw(letters[lower], 12.5),
  );
}
