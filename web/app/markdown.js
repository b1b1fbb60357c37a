/** Markdown of rules, as elements. It supports only the syntax of the service's own texts; everything else stays text,
 * HTML and links included. */

import { h } from './dom.js';

/** Emphasis and code within a line. @param {string} text @returns {(Node | string)[]} */
function inline(text) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]*\))/);
  return parts.filter(Boolean).map((part) => {
    if (part.startsWith('`') && part.length > 1) return h('code', {}, part.slice(1, -1));
    if (part.startsWith('**') && part.length > 3) return h('strong', {}, part.slice(2, -2));
    if (part.startsWith('*') && part.endsWith('*') && part.length > 2) return h('em', {}, part.slice(1, -1));
    const found = /^\[([^\]]+)\]/.exec(part);
    return found ? found[1] : part;
  });
}

/** @param {string[]} lines of a table, with pipes */
function grid(lines) {
  const cells = (/** @type {string} */ line) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim());
  const [head, , ...rows] = lines.map(cells);
  return h(
    'div',
    { class: 'scroll', tabindex: 0 },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          (head ?? []).map((cell) => h('th', { scope: 'col' }, inline(cell))),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((cell) => h('td', {}, inline(cell))),
          ),
        ),
      ),
    ),
  );
}

/** @param {string[]} lines @param {string} tag */
function list(lines, tag) {
  /** @type {string[]} */
  const items = [];
  for (const line of lines) {
    if (/^\s{0,3}(?:[-*]|\d+\.)\s/.test(line)) items.push(line.replace(/^\s*(?:[-*]|\d+\.)\s+/, ''));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return h(
    tag === 'ol' ? 'ol' : 'ul',
    {},
    items.map((item) => h('li', {}, inline(item))),
  );
}

/** @param {string} block without empty lines @param {number} level of the first heading @returns {HTMLElement[]} */
function read(block, level) {
  const lines = block.split('\n');
  const heading = /^(#{1,6})\s+(.*)/.exec(lines[0] ?? '');
  if (heading) {
    const depth = Math.min(6, (heading[1]?.length ?? 1) + level - 1);
    const rest = lines.slice(1).join('\n');
    return [
      h(/** @type {'h2'} */ (`h${depth}`), {}, inline(heading[2] ?? '')),
      ...(rest ? [h('p', {}, inline(rest))] : []),
    ];
  }
  if (lines.every((line) => line.startsWith('|'))) return [grid(lines)];
  if (/^\s{0,3}[-*]\s/.test(block)) return [list(lines, 'ul')];
  if (/^\s{0,3}\d+\.\s/.test(block)) return [list(lines, 'ol')];
  return [h('p', {}, inline(lines.join(' ')))];
}

/** Splits text at empty lines. @param {string} text */
function paragraphs(text) {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .map((block) => block.replace(/^\n+|\n+$/g, ''));
}

/** @param {string} text @param {number} [level] of a first heading */
export function markdown(text, level = 2) {
  const parts = text.split(/^```.*\n([\s\S]*?)^```$/m);
  const nodes = parts.flatMap((part, i) =>
    i % 2 ? [h('pre', { tabindex: 0 }, part)] : paragraphs(part).flatMap((block) => read(block, level)),
  );
  return h('div', { class: 'prose' }, nodes);
}
