/** Playing at once: against bots or anyone; the tutorial game also begins here. */

import { Problem, api, pause } from '../api.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { flags } from '../kit/flags.js';
import { go } from '../router.js';
import { me } from '../session.js';
import { variants } from '../titles.js';
import { teach } from '../tutorial.js';
import { action, form, labelled, link, select } from '../ui.js';
import { CLOCK, comeIn, nameField, pairQuickly } from './quick.js';

/** Checks for seated bots, and milliseconds between checks. */
const LOOKS = 40;
const LOOK_MS = 250;

/** @typedef {Schema<'Bot'>} Bot */

/** Listed bots with room, weakest first. @param {AbortSignal} signal @returns {Promise<Bot[]>} */
async function waiting(signal) {
  const { items } = await api.get('/v1/bots', { limit: 100 }, signal);
  const own = me()?.username;
  const rank = (/** @type {Bot} */ { offer }) => ['easy', 'normal', 'strong', null].indexOf(offer.level ?? null);
  return items
    .filter((bot) => bot.running_matches < bot.offer.max_matches && bot.player.username !== own)
    .sort((one, other) => rank(one) - rank(other));
}

/** @param {Bot} bot @param {string} variant */
const plays = ({ offer }, variant) => !offer.variants || offer.variants.includes(variant);

/** Waits until the match exists. @param {string} id of the challenge @param {AbortSignal} signal */
async function begun(id, signal) {
  for (let look = 0; look < LOOKS; look++) {
    const challenge = await api.get(`/v1/challenges/${id}`, {}, signal);
    if (challenge.match_id) return challenge.match_id;
    if (challenge.status !== 'open') throw new Problem(409, { detail: t('bot-declined') });
    await pause(LOOK_MS, signal);
  }
  return null;
}

/** @param {string} variant @param {string[]} whom @param {AbortSignal} signal @param {boolean} [teaching]
 * @param {Record<string, any>} [rules] changed rules */
async function begin(variant, whom, signal, teaching = false, rules = { variant }) {
  const { id } = await api.post('/v1/challenges', {
    ...rules,
    clock: CLOCK,
    ...(whom.length > 1 ? { seats: whom.length + 1, invited: whom } : { opponent: whom[0] }),
  });
  const match = await begun(id, signal);
  if (match && teaching) teach(match);
  go(match ? `/match/${match}` : `/challenge/${id}`);
}

/** Plays changed rules against the weakest bots that accept them. @param {string} variant
 * @param {Record<string, any>} rules @param {number} seats @param {AbortSignal} signal */
export async function tryRules(variant, rules, seats, signal) {
  const able = (await waiting(signal)).filter((bot) => bot.offer.custom_rules && plays(bot, variant));
  const whom = able.filter(({ offer }) => offer.max_seats >= seats).slice(0, seats - 1);
  if (whom.length < seats - 1) throw new Problem(404, { detail: t('no-bots') });
  await comeIn();
  await begin(
    variant,
    whom.map(({ player }) => player.username),
    signal,
    false,
    rules,
  );
}

/** A bot to choose: flags, name, strength. @param {Bot} bot @param {boolean} chosen */
function face({ player, offer }, chosen) {
  const input = h('input', { type: 'radio', name: 'bot', value: player.username, checked: chosen });
  const level = offer.level && h('small', {}, t(`level-${offer.level}`));
  return h(
    'label',
    { class: 'face', title: offer.description ?? '' },
    input,
    flags(player.id),
    h('b', {}, player.username),
    level,
  );
}

/** The fields that depend on the game. @param {Schema<'VariantSummary'>} game @param {Bot[]} bots */
function opponents(game, bots) {
  const able = bots.filter((bot) => plays(bot, game.id));
  const faces = h(
    'fieldset',
    { class: 'faces' },
    h('legend', { class: 'unseen' }, t('against')),
    able.map((bot, at) => face(bot, at === 0)),
  );
  const many = (/** @type {Bot} */ { offer }) => offer.max_seats > 2;
  const most = Math.max(1, Math.min(game.seats.max - 1, able.filter(many).length));
  const least = game.seats.min - 1;
  const counts = Array.from({ length: most - least + 1 }, (_, i) => String(least + i));
  const count = select(
    'count',
    counts.map((text) => [text, text]),
  );
  /** The chosen bot, and others of its level. */
  const chosen = () => {
    const name = /** @type {HTMLInputElement | null} */ (faces.querySelector('input:checked'))?.value;
    const first = able.find(({ player }) => player.username === name);
    const alike = (/** @type {Bot} */ bot) => (bot === first ? 0 : bot.offer.level === first?.offer.level ? 1 : 2);
    const sorted = able.filter((bot) => bot === first || many(bot)).sort((one, other) => alike(one) - alike(other));
    return sorted.slice(0, Number(count.value)).map(({ player }) => player.username);
  };
  return { chosen, element: h('div', {}, faces, counts.length > 1 && labelled(t('how-many-bots'), count)) };
}

/** The form; null: no bot waits. @param {AbortSignal} signal @param {string} [wanted] a variant */
async function botForm(signal, wanted) {
  const [bots, all] = await Promise.all([waiting(signal), variants()]);
  const games = all.filter(({ id }) => bots.some((bot) => plays(bot, id)));
  if (!games.length) return null;
  const options = games.map(({ id, title }) => /** @type {[string, string]} */ ([id, title]));
  const game = select('variant', options, wanted);
  const played = () => games.find(({ id }) => id === game.value) ?? games[0];
  let now = opponents(played(), bots);
  const box = h('div', {}, now.element);
  game.addEventListener('change', () => {
    now = opponents(played(), bots);
    fill(box, now.element);
  });
  const onSubmit = async (/** @type {Record<string, string>} */ values) => {
    await comeIn(values.username);
    await begin(game.value, now.chosen(), signal);
  };
  const element = form(
    { submit: t('begin'), onSubmit, button: 'primary wide' },
    labelled(t('game'), game),
    box,
    nameField(),
  );
  const lesson = action(
    t('show-me-how'),
    async () => {
      const name = /** @type {HTMLInputElement | null} */ (element.querySelector('[name=username]'))?.value;
      await comeIn(name || undefined);
      const [first] = games;
      const weakest = bots.find((bot) => plays(bot, first.id));
      if (weakest) await begin(first.id, [weakest.player.username], signal, true);
    },
    { class: 'quiet' },
  );
  return { element, lesson };
}

/** @param {HTMLElement} box the parent @param {AbortSignal} signal @param {string} [variant] */
export async function ways(box, signal, variant) {
  const [bots, [first]] = await Promise.all([botForm(signal, variant), variants()]);
  const pair = async () => {
    const name = /** @type {HTMLInputElement | null} */ (box.querySelector('[name=username]'))?.value;
    await comeIn(name || undefined);
    await pairQuickly();
  };
  return [
    h('section', { class: 'bots' }, h('h3', {}, t('play-bot')), bots ? bots.element : h('p', {}, t('no-bots'))),
    h(
      'section',
      {},
      h('h3', {}, t('play-person')),
      h('p', { class: 'muted' }, t('quick-more')),
      h(
        'p',
        { class: 'buttons' },
        action(t('quick-pairing', { game: first.title }), pair),
        link('/lobby', t('see-offers'), 'button quiet'),
      ),
      bots && [h('h3', {}, t('never-played')), bots.lesson],
    ),
  ];
}
