/** Making elements. Text is always set as text, never parsed as HTML. */

const SVG = 'http://www.w3.org/2000/svg';

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes */

/** @param {Element} element @param {Attributes} attributes */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') {
      for (const [type, listener] of Object.entries(value))
        element.addEventListener(type, /** @type {any} */ (listener));
    } else if (name === 'value' || name === 'checked' || name === 'selected') {
      /** @type {any} */ (element)[name] = value;
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/** @param {Element} element @param {(Child | Child[])[]} children */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function nodes(children) {
  const kept = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    kept.push(child instanceof Node ? child : String(child));
  }
  return kept;
}

/** `on` has listeners by event type. @template {keyof HTMLElementTagNameMap} T @param {T} tag
 * @param {Attributes} [attributes] @param {(Child | Child[])[]} children @returns {HTMLElementTagNameMap[T]} */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  element.append(...nodes(children));
  dress(element, attributes);
  return element;
}

/** @param {string} tag @param {Attributes} [attributes] @param {(Child | Child[])[]} children @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  element.append(...nodes(children));
  dress(element, attributes);
  return /** @type {SVGElement} */ (element);
}

/** Announces a text to screen readers. @param {string} text */
export function announce(text) {
  const region = document.getElementById('announcer');
  if (region) region.textContent = text;
}
