/** Dragging ships from the list and on the board, by mouse, pen or finger. */

import { PlaceField } from '../decisions/place.js';

const FAR = 6;

/** @param {PointerEvent} event */
function cellUnder(event) {
  const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-cell]');
  const sea = /** @type {HTMLElement | null | undefined} */ (cell?.closest('sea-board'))?.dataset.sea;
  return { cell: cell?.getAttribute('data-cell') ?? '', sea: sea ?? '' };
}

/** @param {HTMLElement} element parent of list and boards @param {import('./panel.js').Panel} panel */
export function dragging(element, panel) {
  /** @type {{ what: string, x: number, y: number, moving: boolean } | null} */
  let held = null;
  const field = () => (panel.plan?.field instanceof PlaceField ? panel.plan.field : null);
  element.addEventListener('pointerdown', (event) => {
    const target = /** @type {Element} */ (event.target);
    const item = target.closest('[data-drag]')?.getAttribute('data-drag');
    const cell = cellUnder(event);
    const what = item ?? (cell.sea === field()?.sea ? cell.cell : '');
    if (event.button === 0 && what && field()) held = { what, x: event.clientX, y: event.clientY, moving: false };
  });
  element.addEventListener('pointermove', (event) => {
    if (!held) return;
    if (!held.moving) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
      if (!field()?.grab(held.what)) {
        held = null;
        return;
      }
      held.moving = true;
      element.setPointerCapture(event.pointerId);
      element.classList.add('dragging');
    }
    const { sea, cell } = cellUnder(event);
    panel.hover(sea || (field()?.sea ?? ''), sea ? cell : '');
  });
  const end = (/** @type {PointerEvent} */ event) => {
    const was = held;
    held = null;
    element.classList.remove('dragging');
    if (!was?.moving) return;
    const { sea, cell } = cellUnder(event);
    field()?.hover('');
    if (event.type === 'pointerup' && cell) panel.press(sea, cell);
    else panel.again();
    // The following click belongs to the drag.
    const swallow = (/** @type {Event} */ click) => click.stopPropagation();
    element.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => element.removeEventListener('click', swallow, { capture: true }), 0);
  };
  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', end);
}
