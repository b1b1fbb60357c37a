/** Short sounds, made by the browser: on from the first touch of a page until switched off. */

import { fill, h, svg } from '../dom.js';
import { t } from '../i18n/index.js';
import { recall, remember } from '../memory.js';

const NAME = 'sound';

/** Notes: pitch in hertz, then start and duration in seconds.
 * @type {Record<'turn' | 'won' | 'lost', [number, number, number][]>} */
const TONES = {
  turn: [
    [659, 0, 0.1],
    [880, 0.12, 0.16],
  ],
  won: [
    [523, 0, 0.16],
    [659, 0.16, 0.16],
    [784, 0.32, 0.16],
    [1047, 0.48, 0.5],
  ],
  lost: [
    [392, 0, 0.3],
    [330, 0.3, 0.3],
    [262, 0.6, 0.6],
  ],
};

/** Bursts of noise: filter in hertz, loudness, duration, and a low note.
 * @type {Record<'miss' | 'near' | 'hit' | 'sunk', { filter: number, loud: number, lasts: number, below: number }>} */
const BURSTS = {
  miss: { filter: 2400, loud: 0.12, lasts: 0.35, below: 0 },
  near: { filter: 1400, loud: 0.16, lasts: 0.4, below: 0 },
  hit: { filter: 500, loud: 0.5, lasts: 0.5, below: 90 },
  sunk: { filter: 320, loud: 0.7, lasts: 1.1, below: 55 },
};

/** @typedef {keyof typeof TONES | keyof typeof BURSTS} Sound */

/** @type {AudioContext | null} */
let context = null;

/** True if sounds are on in this browser. */
export const isOn = () => recall(NAME) ?? true;

/** @param {AudioContext} on @param {AudioNode} from @param {number} at @param {number} loud @param {number} lasts */
function fade(on, from, at, loud, lasts) {
  const gain = new GainNode(on, { gain: 0 });
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loud, at + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, at + lasts);
  from.connect(gain).connect(on.destination);
}

/** @param {AudioContext} on @param {number} pitch @param {number} at @param {number} lasts @param {number} [loud] */
function note(on, pitch, at, lasts, loud = 0.15) {
  const source = new OscillatorNode(on, { type: 'triangle', frequency: pitch });
  fade(on, source, at, loud, lasts);
  source.start(at);
  source.stop(at + lasts);
}

/** @param {AudioContext} on @param {typeof BURSTS['hit']} how @param {number} at */
function burst(on, { filter, loud, lasts, below }, at) {
  const buffer = new AudioBuffer({ length: Math.ceil(on.sampleRate * lasts), sampleRate: on.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  const source = new AudioBufferSourceNode(on, { buffer });
  fade(on, source.connect(new BiquadFilterNode(on, { type: 'lowpass', frequency: filter })), at, loud, lasts);
  source.start(at);
  if (below) note(on, below, at, lasts, loud);
}

/** @param {Sound} name @param {number} [after] seconds from now */
export function sound(name, after = 0) {
  // Browsers make no sound before a touch of the page.
  if (!isOn() || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  void context.resume();
  const at = context.currentTime + after;
  if (name in BURSTS) burst(context, BURSTS[/** @type {'hit'} */ (name)], at);
  else for (const [pitch, from, lasts] of TONES[/** @type {'turn'} */ (name)]) note(context, pitch, at + from, lasts);
}

/** The sound switch, in the header while a match is open. @param {AbortSignal} signal */
export function soundSwitch(signal) {
  const button = h('button', { type: 'button', class: 'quiet', 'data-sound': '' });
  const draw = () => {
    const on = isOn();
    button.setAttribute('aria-pressed', String(on));
    button.setAttribute('aria-label', t('sound'));
    button.title = t(on ? 'sound-on' : 'sound-off');
    const waves = on ? 'M15 9q2 3 0 6M18 6q4 6 0 12' : 'M15 9 21 15M21 9 15 15';
    fill(
      button,
      svg(
        'svg',
        { viewBox: '0 0 24 24', class: 'glyph', 'aria-hidden': 'true' },
        svg('path', { d: 'M3 9H7L12 4V20L7 15H3Z', class: 'solid' }),
        svg('path', { d: waves }),
      ),
    );
  };
  button.addEventListener('click', () => {
    remember(NAME, isOn() ? false : null);
    draw();
    if (isOn()) sound('turn');
  });
  draw();
  const place = document.getElementById('sound');
  if (!place) return button;
  fill(place, button);
  signal.addEventListener('abort', () => {
    if (place.contains(button)) fill(place);
  });
  return null;
}
