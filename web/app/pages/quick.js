/** Playing at once with only a name: takes an open offer, else makes one. */

import { Problem, api } from '../api.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { keep, me } from '../session.js';
import { variants } from '../titles.js';
import { h } from '../dom.js';
import { labelled } from '../ui.js';

/** A day per move: no time pressure, and no endless wait. @type {Schema<'Clock'>} */
export const CLOCK = { kind: 'per-move', move_s: 86_400 };

const BIRDS = ['Petrel', 'Osprey', 'Gannet', 'Puffin', 'Curlew', 'Avocet', 'Heron', 'Marlin', 'Narwhal', 'Skua'];

/** A name that is probably free. */
export function suggestedName() {
  const [bird, number] = crypto.getRandomValues(new Uint16Array(2));
  return `${BIRDS[bird % BIRDS.length]}${100 + (number % 9900)}`;
}

/** The field for a guest's name; null: the reader has a name. */
export function nameField() {
  if (me()) return null;
  const input = h('input', {
    name: 'username',
    required: true,
    value: suggestedName(),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  return labelled(t('name'), input, t('guest-name-help'));
}

/** Registers a guest, unless someone is signed in. @param {string} [username] */
export async function comeIn(username = suggestedName()) {
  if (!me()) await keep(await api.post('/v1/guests', { username }));
}

/** Takes the oldest open offer of the first game with this clock, else makes one. */
export async function pairQuickly() {
  const [game] = await variants();
  const fits = (/** @type {Schema<'Challenge'>} */ { clock, named_rule_set: changed, seats, creator }) =>
    !changed &&
    seats.length === 2 &&
    JSON.stringify({ ...clock, ...CLOCK }) === JSON.stringify(clock) &&
    creator.username !== me()?.username;
  const query = /** @type {const} */ ({ status: 'open', variant: game.id, acceptable: true, limit: 50 });
  const { items } = await api.get('/v1/challenges', query);
  for (const { id } of items.filter(fits).reverse()) {
    try {
      const { match_id: match } = await api.post(`/v1/challenges/${id}/accept`);
      return go(match ? `/match/${match}` : `/challenge/${id}`);
    } catch (failure) {
      // Someone else was faster.
      if (!(failure instanceof Problem) || ![403, 404, 409].includes(failure.status)) throw failure;
    }
  }
  const terms = { variant: game.id, clock: CLOCK, visibility: /** @type {const} */ ('open'), rated: !me()?.guest };
  go(`/challenge/${(await api.post('/v1/challenges', terms)).id}`);
}
