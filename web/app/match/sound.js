/** Short tones, made by the browser: off until somebody switches them on. */

import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { labelled } from '../ui.js';

const NAME = 'broadside-sound';

/** Notes: their pitch in hertz, when they begin, and how long they last, in seconds.
 * @type {Record<'hit' | 'miss' | 'sunk' | 'turn', [number, number, number][]>} */
const TONES = {
  miss: [[523, 0, 0.09]],
  hit: [
    [220, 0, 0.12],
    [165, 0.1, 0.18],
  ],
  sunk: [
    [220, 0, 0.12],
    [165, 0.12, 0.14],
    [110, 0.26, 0.32],
  ],
  turn: [
    [659, 0, 0.1],
    [880, 0.12, 0.16],
  ],
};

/** @type {AudioContext | null} */
let context = null;

/** Whether this browser is to make sounds. */
export function isOn() {
  try {
    return localStorage.getItem(NAME) === 'on';
  } catch {
    return false; // a browser that keeps nothing
  }
}

/** @param {boolean} on */
function keep(on) {
  try {
    if (on) localStorage.setItem(NAME, 'on');
    else localStorage.removeItem(NAME);
  } catch {
    // It holds for this page only, then.
  }
}

/** @param {keyof typeof TONES} name @param {number} [after] seconds from now */
export function sound(name, after = 0) {
  // Browsers make no sound before somebody has touched the page.
  if (!isOn() || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  void context.resume();
  for (const [pitch, from, lasts] of TONES[name]) {
    const at = context.currentTime + after + from;
    const note = new OscillatorNode(context, { type: 'triangle', frequency: pitch });
    const loud = new GainNode(context, { gain: 0 });
    loud.gain.setValueAtTime(0, at);
    loud.gain.linearRampToValueAtTime(0.2, at + 0.01);
    loud.gain.exponentialRampToValueAtTime(0.001, at + lasts);
    note.connect(loud).connect(context.destination);
    note.start(at);
    note.stop(at + lasts);
  }
}

/** The switch. */
export function soundSwitch() {
  const box = h('input', { type: 'checkbox', name: 'sound', checked: isOn() });
  box.addEventListener('change', () => {
    keep(box.checked);
    if (box.checked) sound('turn');
  });
  return labelled(t('sound'), box, t('sound-help'));
}
