/** Playing against a bot at once: which game, against whom, and the match begins. */

import { Problem, api, pause } from '../api.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { keep, me } from '../session.js';
import { variants } from '../titles.js';
import { form, labelled, select } from '../ui.js';

/** A day for each move: nobody is pressed for time, and nobody waits for ever. @type {Schema<'Clock'>} */
const CLOCK = { kind: 'per-move', move_s: 86_400 };
/** How often it is looked whether the bots have sat down, and how long between two looks. */
const LOOKS = 40;
const LOOK_MS = 250;

/** @typedef {Schema<'Bot'>} Bot */

/** Whoever is listed and has room, the weakest first. @param {AbortSignal} signal @returns {Promise<Bot[]>} */
async function waiting(signal) {
  const { items } = await api.get('/v1/bots', { limit: 100 }, signal);
  const own = me()?.username;
  const rank = (/** @type {Bot} */ { offer }) => ['easy', 'normal', 'strong', null].indexOf(offer.level ?? null);
  return items
    .filter((/** @type {Bot} */ bot) => bot.running_matches < bot.offer.max_matches && bot.player.username !== own)
    .sort((/** @type {Bot} */ one, /** @type {Bot} */ other) => rank(one) - rank(other));
}

/** @param {Bot} bot @param {string} variant */
const plays = ({ offer }, variant) => !offer.variants || offer.variants.includes(variant);

/** @param {Bot} bot */
const called = ({ player, offer }) =>
  offer.level ? `${t(`level-${offer.level}`)} – ${player.username}` : player.username;

/** Waits until the match is there. @param {string} id the challenge @param {AbortSignal} signal */
async function begun(id, signal) {
  for (let look = 0; look < LOOKS; look++) {
    const challenge = await api.get(`/v1/challenges/${id}`, {}, signal);
    if (challenge.match_id) return go(`/match/${challenge.match_id}`);
    if (challenge.status !== 'open') throw new Problem(409, { detail: t('bot-declined') });
    await pause(LOOK_MS, signal);
  }
  go(`/challenge/${id}`);
}

/** Whoever has no name yet says one, and plays as a guest. @param {string} username */
async function come(username) {
  if (!me()) await keep(await api.post('/v1/guests', { username }));
}

/** The fields that depend on the game. @param {any} game @param {Bot[]} bots */
function opponents(game, bots) {
  const able = bots.filter((bot) => plays(bot, game.id));
  const whom = select(
    'bot',
    able.map((bot) => [bot.player.username, called(bot)]),
  );
  const many = (/** @type {Bot} */ { offer }) => offer.max_seats > 2;
  const most = Math.max(1, Math.min(game.seats.max - 1, able.filter(many).length));
  const least = game.seats.min - 1;
  const counts = Array.from({ length: most - least + 1 }, (_, i) => String(least + i));
  const count = select(
    'count',
    counts.map((text) => [text, text]),
  );
  /** The one that was chosen, and others of its level if there are any. */
  const chosen = () => {
    const first = able.find(({ player }) => player.username === whom.value);
    const alike = (/** @type {Bot} */ bot) => (bot === first ? 0 : bot.offer.level === first?.offer.level ? 1 : 2);
    const sorted = able.filter((bot) => bot === first || many(bot)).sort((one, other) => alike(one) - alike(other));
    return sorted.slice(0, Number(count.value)).map(({ player }) => player.username);
  };
  /** What the bot says of itself, such as how strong it is. */
  const about = h('p', { class: 'muted' });
  const tell = () => fill(about, able.find(({ player }) => player.username === whom.value)?.offer.description ?? '');
  whom.addEventListener('change', tell);
  tell();
  return {
    chosen,
    element: h(
      'div',
      {},
      labelled(t('against'), whom),
      about,
      counts.length > 1 && labelled(t('how-many-bots'), count),
    ),
  };
}

/** The form; null when no bot waits. @param {AbortSignal} signal @returns {Promise<HTMLElement | null>} */
export async function botSection(signal) {
  const [bots, all] = await Promise.all([waiting(signal), variants()]);
  const games = all.filter(({ id }) => bots.some((bot) => plays(bot, id)));
  if (!games.length) return null;
  const game = select(
    'variant',
    games.map(({ id, title }) => [id, title]),
  );
  const played = () => games.find(({ id }) => id === game.value);
  let now = opponents(played(), bots);
  const box = h('div', {}, now.element);
  game.addEventListener('change', () => {
    now = opponents(played(), bots);
    fill(box, now.element);
  });
  const name = h('input', { name: 'username', required: true, autocapitalize: 'off', spellcheck: 'false' });
  const begin = async (/** @type {Record<string, string>} */ values) => {
    const whom = now.chosen();
    await come(values.username ?? '');
    const { id } = await api.post('/v1/challenges', {
      variant: game.value,
      clock: CLOCK,
      ...(whom.length > 1 ? { seats: whom.length + 1, invited: whom } : { opponent: whom[0] }),
    });
    await begun(id, signal);
  };
  return h(
    'section',
    { class: 'bots' },
    h('h2', {}, t('play-bot')),
    h('p', { class: 'muted' }, t('play-bot-more')),
    form(
      { submit: t('begin'), onSubmit: begin },
      !me() && labelled(t('name'), name, t('guest-name-help')),
      labelled(t('game'), game),
      box,
    ),
  );
}
