/** Current pairings of a ladder, and the newest finished ones. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment, score, word } from '../format.js';
import { t } from '../i18n/index.js';
import { link, playerLink, table } from '../ui.js';

/** The number shown of each sort. */
const SHOWN = { true: 50, false: 10 };

/** @param {Schema<'Pairing'>} pairing */
function players({ players: all }) {
  return h('span', {}, all.map(({ player }, i) => [i ? ' – ' : '', playerLink(player)]).flat());
}

/** The games of a pairing, with name and result. @param {Schema<'Pairing'>} pairing */
function games({ games: all, players: sides, settled_at: over }) {
  const points = over ? sides.map((side) => score(side.points)).join('–') : t('board-running');
  return h(
    'span',
    {},
    all.length > 1 && `${points} `,
    all
      .map((game, i) => [
        link(`/match/${game.match_id}`, all.length > 1 ? `${t('match')} ${i + 1}` : points),
        game.reason ? h('small', {}, ` ${word('reason', game.reason)} `) : ' ',
      ])
      .flat(),
  );
}

/** @param {Schema<'Ladder'>} ladder @param {AbortSignal} signal */
export async function pairings(ladder, signal) {
  const list = async (/** @type {boolean} */ running) => {
    const query = { running, limit: SHOWN[`${running}`] };
    return (await api.get(`/v1/ladders/${ladder.id}/pairings`, query, signal)).items;
  };
  const [now, before] = await Promise.all([list(true), list(false)]);
  if (!now.length && !before.length) return null;
  const part = (/** @type {string} */ name, /** @type {Schema<'Pairing'>[]} */ items, /** @type {string} */ when) => {
    const rows = items.map((one) => [players(one), games(one), moment(one.ended_at ?? one.opened_at)]);
    const heads = [t('players'), t('match'), when];
    return rows.length > 0 && [h('h3', {}, name), table(name, heads, rows)];
  };
  return h(
    'section',
    { class: 'pairings' },
    h('h2', {}, t('pairings')),
    part(t('being-played'), now, t('begun-at')),
    part(t('just-finished'), before, t('ended-at')),
  );
}
