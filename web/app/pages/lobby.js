/** Open offers. */

import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go, href } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { titles, variants } from '../titles.js';
import { action, link, nothing, pages, part, termsText } from '../ui.js';
import { pairQuickly } from './quick.js';

const nameOf = (/** @type {Schema<'Player'>} */ { username }) => username;

/** @param {Schema<'Challenge'>} challenge @param {Map<string, string>} names */
function offer(challenge, names) {
  const free = challenge.seats.filter((seat) => !seat.player).length;
  return h(
    'a',
    { href: href(`/challenge/${challenge.id}`), class: 'card' },
    h('b', {}, names.get(challenge.variant) ?? challenge.variant),
    h(
      'span',
      {},
      [challenge.creator.username, challenge.opponent?.username ?? challenge.invited.map(nameOf).join(', ')]
        .filter(Boolean)
        .join(' → '),
    ),
    h('span', { class: 'meta' }, `${termsText(challenge)} · ${t('free-seats', { count: free })}`),
  );
}

/** A free seat in a running match. @param {Schema<'Substitution'>} one @param {Map<string, string>} names */
function freeSeat(one, names) {
  return h(
    'a',
    { href: href(`/match/${one.match_id}`), class: 'card' },
    h('b', {}, names.get(one.variant) ?? one.variant),
    h('span', {}, t('seat-of', { name: one.player.username })),
    one.message && h('span', { class: 'meta' }, one.message),
  );
}

/** @type {import('../router.js').Maker} */
export async function lobbyPage({ signal, query }) {
  const [names, [first]] = await Promise.all([titles(), variants()]);
  const make = (/** @type {Schema<'Challenge'>} */ challenge) => offer(challenge, names);
  const empty = nothing(t('no-offers'), link('/variants', t('see-games'), 'button'));
  const mine = me()
    ? await part(
        pages(
          '/v1/challenges',
          { mine: true, status: 'open' },
          signal,
          make,
          h('p', { class: 'muted' }, t('no-own-offers')),
        ),
      )
    : null;
  const open = await pages(
    '/v1/challenges',
    { status: 'open', variant: query.get('variant') ?? '' },
    signal,
    make,
    empty,
  );
  const seat = (/** @type {Schema<'Substitution'>} */ one) => freeSeat(one, names);
  const unneeded = h('p', { class: 'muted' }, t('no-free-seats'));
  const seats = await part(pages('/v1/substitutions', {}, signal, seat, unneeded));
  onEvent((event) => {
    if (event.type === 'match-started') go(`/match/${event.match_id}`);
    else if (event.type.startsWith('challenge-')) go('/lobby', true);
  }, signal);
  return {
    title: t('lobby'),
    body: h(
      'div',
      {},
      h(
        'div',
        { class: 'title-line' },
        h('h1', {}, t('lobby')),
        h(
          'div',
          { class: 'tools' },
          me() && action(t('quick-pairing', { game: first.title }), pairQuickly),
          link('/lobby/new', t('offer-game'), 'button primary'),
        ),
      ),
      mine && [h('h2', {}, t('own-offers')), mine],
      h('h2', {}, t('open-offers')),
      open,
      h('h2', {}, t('seats-in-running')),
      seats,
    ),
  };
}
