/** The reference: every operation of the contract, by topic. It is built from the contract alone. */

import { fill, h } from '../app/dom.js';
import { markdown } from '../app/markdown.js';
import { load } from './contract.js';
import { row } from './operation.js';
import { show } from './session.js';

/** @param {string} id @returns {HTMLElement} */
function part(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

const search = /** @type {HTMLInputElement} */ (part('search'));
const found = part('found');
const list = part('operations');

/** @param {string} name */
const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** @param {import('./contract.js').Contract} contract */
function draw(contract) {
  const tasks = contract.tasks();
  const webhooks = contract.webhooks();
  const sections = tasks.map(({ name, description, operations }) =>
    section(
      name,
      description,
      operations.map((one) => row(contract, one)),
    ),
  );
  if (webhooks.length)
    sections.push(
      section(
        'what is sent to you',
        'Messages of webhooks.',
        webhooks.map((one) => row(contract, one, false)),
      ),
    );
  fill(
    list,
    contract.description &&
      h('details', { class: 'fold' }, h('summary', {}, 'About this API'), markdown(contract.description, 3)),
    ...sections,
  );
  list.removeAttribute('aria-busy');
  const links = sections.map((one) =>
    h('li', {}, h('a', { href: `#${one.id}` }, one.querySelector('h2')?.textContent ?? '')),
  );
  fill(part('tasks'), ...links);
  return new Map([...contract.operations(), ...webhooks].map(({ id, words }) => [id, words]));
}

/** @param {string} name @param {string} description @param {HTMLElement[]} rows */
function section(name, description, rows) {
  const id = `task-${name.replaceAll(/\W+/g, '-')}`;
  return h(
    'section',
    { class: 'task', id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title(name)),
    markdown(description, 3),
    rows,
  );
}

const wanted = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);

/** Shows the operations that contain all words of the search. @param {Map<string, string>} words by operation */
function filter(words) {
  const all = wanted();
  let count = 0;
  for (const one of list.querySelectorAll('.operation')) {
    const text = words.get(one.id) ?? '';
    const fits = all.every((word) => text.includes(word));
    one.toggleAttribute('hidden', !fits);
    if (fits) count++;
  }
  for (const task of list.querySelectorAll('.task'))
    task.toggleAttribute('hidden', !task.querySelector('.operation:not([hidden])'));
  found.textContent = all.length ? `${count} of ${words.size} operations` : '';
}

/** The visible operation whose name has the words of the search, else the first. */
function nearest() {
  const shown = [...list.querySelectorAll('.operation:not([hidden])')];
  const words = wanted();
  return shown.find(({ id }) => words.every((word) => id.includes(word))) ?? shown[0];
}

/** Opens the operation in the address. */
function open() {
  const id = decodeURIComponent(location.hash.slice(1));
  const one = id && document.getElementById(id);
  if (!one) return;
  if (one instanceof HTMLDetailsElement) one.open = true;
  one.scrollIntoView();
}

show(part('session'));
try {
  const words = draw(await load());
  search.addEventListener('input', () => filter(words));
  search.addEventListener('keydown', (event) => {
    const best = event.key === 'Enter' && search.value && nearest();
    if (best) location.hash = `#${best.id}`;
  });
  addEventListener('hashchange', open);
  filter(words);
  open();
} catch (error) {
  fill(list, h('p', { class: 'refusal' }, String(error)));
  list.removeAttribute('aria-busy');
}
