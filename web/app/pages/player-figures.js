/** Statistics on a profile: results by game for everybody, and the owner's shots for the owner. */

import { api, once } from '../api.js';
import { Chart } from '../board/geometry.js';
import { announce, fill, h, svg } from '../dom.js';
import { ownShots } from '../figures.js';
import { t } from '../i18n/index.js';
import { me } from '../session.js';
import { action, playerLink, table } from '../ui.js';

/** The number of opponents shown. */
const OPPONENTS = 20;
const CELL = 24;
/** With at most this many shots per cell, none is shown as hot. */
const PALE = 4;

/** @param {number} part @param {number} of */
const share = (part, of) => (of ? `${Math.round((100 * part) / of)} %` : '–');

/** @param {Schema<'Profile'>} profile @param {Map<string, string>} titles @param {AbortSignal} signal */
export async function resultsPart({ username }, titles, signal) {
  const path = /** @type {const} */ (`/v1/players/${encodeURIComponent(username)}`);
  const [{ variants }, { items: others }] = await Promise.all([
    api.get(`${path}/statistics`, {}, signal),
    api.get(`${path}/opponents`, { limit: OPPONENTS }, signal),
  ]);
  const rows = variants.map(({ variant, results: { won, drawn, lost }, shooting }) => [
    titles.get(variant) ?? variant,
    won,
    drawn,
    lost,
    share(won, won + drawn + lost),
    shooting ? share(shooting.hits, shooting.shots) : '–',
    shooting?.shots_to_win ? Math.round(shooting.shots_to_win) : '–',
  ]);
  if (!rows.length) return null;
  const counts = [t('games-won'), t('games-drawn'), t('games-lost'), '%'];
  const met = others.map(({ player, results: { won, drawn, lost } }) => [
    playerLink(player),
    won,
    drawn,
    lost,
    share(won, won + drawn + lost),
  ]);
  const heads = [t('game'), ...counts, t('hit-rate'), t('shots-to-win')];
  return [
    h('section', { class: 'figures' }, h('h2', {}, t('figures')), table(t('figures'), heads, rows)),
    h('section', {}, h('h2', {}, t('opponents')), table(t('opponents'), [t('player'), ...counts], met)),
  ];
}

/** A layer of a board, darker with more shots. @param {import('../board/geometry.js').Layer} layer
 * @param {Map<string, number>} cells @param {number} most @param {string} name */
function heat(layer, cells, most, name) {
  const margin = layer.rowTitles ? CELL : 0;
  const size = (/** @type {number} */ count) => count * CELL + margin + 2;
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ said) =>
    svg('text', { x: x * CELL + CELL / 2, y: y * CELL + 16, class: 'axis' }, said);
  const squares = layer.cells.map(({ label, row, column }) => {
    const count = cells.get(label) ?? 0;
    const warmth = count ? 1 + Math.round((4 * count) / most) : 0;
    const at = { transform: `translate(${column * CELL} ${row * CELL})` };
    const number = count > 0 && svg('text', { x: CELL / 2, y: 16, class: warmth > 3 ? 'on-heat' : '' }, count);
    return svg('g', at, svg('rect', { width: CELL, height: CELL, class: `heat heat-${warmth}` }), number);
  });
  return svg(
    'svg',
    {
      viewBox: `${-margin - 1} ${-margin - 1} ${size(layer.columns)} ${size(layer.rows)}`,
      class: 'heat-map',
      role: 'img',
      'aria-label': name,
    },
    (layer.rowTitles ?? []).map((said, row) => text(-1, row, said)),
    (layer.columnTitles ?? []).map((said, column) => text(column, -1, said)),
    squares,
  );
}

/** @param {import('../figures.js').Tally} tally @param {string} title */
async function tallyPart({ match, matches, shots, known, struck, cells }, title) {
  const { seas } = await once(`/v1/matches/${match}/board`);
  const [sea] = seas;
  const most = Math.max(PALE, ...cells.values());
  const often = [...cells]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([cell, count]) => t('heat-cell', { cell, count }));
  const said = t('heat-most', { cells: often.join(', ') });
  const layers = sea ? new Chart(sea).layers.filter((layer) => layer.cells.some(({ label }) => cells.has(label))) : [];
  const facts = [
    [t('matches'), matches],
    [t('shots'), shots],
    [t('shots-told'), known],
    [t('hit-rate'), known ? `${struck} (${share(struck, known)})` : '–'],
  ];
  return h(
    'section',
    { class: 'tally' },
    h('h3', {}, title),
    h(
      'dl',
      { class: 'facts' },
      facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
    ),
    layers.map((layer) => {
      const name = `${t('heat-of', { what: layers.length > 1 ? `${title}, ${layer.name}` : title })}. ${said}`;
      return h('figure', {}, layers.length > 1 && h('figcaption', {}, layer.name), heat(layer, cells, most, name));
    }),
    often.length > 0 && h('p', { class: 'meta' }, said),
  );
}

/** Results of the reader's own shots; empty on other profiles. @param {Schema<'Profile'>} profile
 * @param {Map<string, string>} titles @param {AbortSignal} signal */
export function shotsPart({ username, matches }, titles, signal) {
  const account = me();
  if (account?.username !== username || !matches.finished) return null;
  const state = h('p', { class: 'meta', role: 'status' });
  const place = h('div', { class: 'plots' });
  const count = async () => {
    const { count: read, tallies } = await ownShots(account.id, signal, (so) => {
      state.textContent = t('matches-read', { count: so });
    });
    const named = tallies.map((tally) => ({ tally, title: titles.get(tally.variant) ?? tally.variant }));
    fill(place, await Promise.all(named.map(({ tally, title }) => tallyPart(tally, title))));
    state.textContent = tallies.length ? t('matches-read', { count: read }) : t('no-shots');
    announce(state.textContent);
  };
  return h(
    'section',
    { class: 'own-shots' },
    h('h2', {}, t('own-shots')),
    h('p', {}, t('own-shots-more')),
    action(t('count-shots'), count),
    state,
    place,
  );
}
