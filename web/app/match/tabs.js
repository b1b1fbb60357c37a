/** Log, chat and notes beside the seas, one at a time. */

import { h } from '../dom.js';

/** @param {[string, HTMLElement][]} sheets titles and contents @param {string} label */
export function tabs(sheets, label) {
  const buttons = sheets.map(([title], i) =>
    h(
      'button',
      { type: 'button', role: 'tab', id: `tab-${i}`, 'aria-controls': `sheet-${i}`, on: { click: () => show(i) } },
      title,
    ),
  );
  const panels = sheets.map(([, inside], i) =>
    h('div', { role: 'tabpanel', id: `sheet-${i}`, 'aria-labelledby': `tab-${i}`, tabindex: 0 }, inside),
  );
  const show = (/** @type {number} */ at) => {
    for (const [i, button] of buttons.entries()) {
      button.setAttribute('aria-selected', String(i === at));
      button.tabIndex = i === at ? 0 : -1;
      panels[i].hidden = i !== at;
    }
    sheets[at]?.[1].dispatchEvent(new Event('shown'));
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (!by || at < 0) return;
    const next = (at + by + buttons.length) % buttons.length;
    show(next);
    buttons[next].focus();
  };
  show(0);
  return h(
    'div',
    { class: 'sheets' },
    h('div', { role: 'tablist', 'aria-label': label, on: { keydown: keys } }, buttons),
    panels,
  );
}
