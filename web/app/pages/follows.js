/** Followed players: the list on My turns, and the button on a profile. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { me } from '../session.js';
import { action, link, playerLink } from '../ui.js';

/** @param {AbortSignal} signal */
const followed = async (signal) => (await api.get('/v1/account/follows', { limit: 200 }, signal)).items;

/** The list, active players first; null: empty. @param {AbortSignal} signal */
export async function followsPart(signal) {
  const players = me()?.guest ? [] : await followed(signal);
  if (!players.length) return null;
  const rows = players
    .toSorted((one, other) => Number(other.active) - Number(one.active))
    .map(({ player, active }) =>
      h(
        'li',
        {},
        h('span', {
          class: active ? 'lamp live' : 'lamp',
          role: 'img',
          'aria-label': t(active ? 'is-here' : 'is-away'),
        }),
        playerLink(player),
        link(`/lobby/new?opponent=${encodeURIComponent(player.username)}`, t('challenge'), 'button'),
      ),
    );
  return h('section', { class: 'follows' }, h('h2', {}, t('you-follow')), h('ul', {}, rows));
}

/** @param {string} name @param {AbortSignal} signal */
export async function followButton(name, signal) {
  if (me()?.guest) return null;
  let follows = (await followed(signal)).some(({ player }) => player.username === name);
  const text = h('span', {}, t(follows ? 'unfollow' : 'follow'));
  const path = /** @type {const} */ (`/v1/account/follows/${encodeURIComponent(name)}`);
  return action(text, async () => {
    await (follows ? api.delete(path) : api.put(path));
    follows = !follows;
    text.textContent = t(follows ? 'unfollow' : 'follow');
  });
}
