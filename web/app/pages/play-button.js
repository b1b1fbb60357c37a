/** The button that opens the ways to play; their code loads on the first press. */

import { fill, h } from '../dom.js';
import { t, whole } from '../i18n/index.js';
import { part } from '../ui.js';

/** @param {AbortSignal} signal @param {{ variant?: string, text?: string }} [how] */
export function playButton(signal, { variant, text = t('play-now') } = {}) {
  const box = h('div', { class: 'ways' });
  const close = h('button', { type: 'button', class: 'quiet', on: { click: () => dialog.close() } }, t('close'));
  const dialog = h(
    'dialog',
    { class: 'start', 'aria-labelledby': 'start-title' },
    h('div', { class: 'title-line' }, h('h2', { id: 'start-title' }, t('play-now')), close),
    box,
  );
  const show = async () => {
    dialog.showModal();
    const [{ ways }] = await Promise.all([import('./bots.js'), whole()]);
    if (!box.childElementCount) fill(box, (await part(ways(box, signal, variant))) ?? []);
  };
  signal.addEventListener('abort', () => dialog.close());
  const button = h('button', { type: 'button', class: 'primary large', on: { click: () => void show() } }, text);
  return h('span', { class: 'play' }, button, dialog);
}
