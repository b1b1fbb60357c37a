/** Offering a game: game, opponents, clock, rules. */

import { api, once } from '../api.js';
import { fill, h } from '../dom.js';
import { differences } from '../editor/differences.js';
import { Draft, keptChanges } from '../editor/draft.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { me } from '../session.js';
import { variants } from '../titles.js';
import { form, labelled, link, nothing, select, nationChoice } from '../ui.js';
import { doors } from './sign-in.js';

/** Offered clocks: seconds per move, and text key. */
export const CLOCKS = [
  [300, 'clock-5m'],
  [3600, 'clock-1h'],
  [86_400, 'clock-1d'],
  [259_200, 'clock-3d'],
  [604_800, 'clock-7d'],
  [0, 'clock-free'],
];

/** The rules: the game's own, a draft of this browser, or published ones. @param {Schema<'Variant'>} card
 * @param {string} own a draft's name or a hash; empty: the game's own @param {import('../titles.js').Card} named */
function rulesOf(card, own, named) {
  const changes = own && keptChanges(own);
  const published = own !== card.id && own !== '' && !changes;
  const to = `/variants/${card.id}/edit${own && own !== card.id ? `?rules=${own}` : ''}`;
  const items = changes ? differences(new Draft(card, own)).map(({ text }) => h('li', {}, text)) : [];
  return {
    sent: published ? { named_rule_set: own } : { variant: card.id, ...(items.length > 0 && { rule_set: changes }) },
    element: h(
      'div',
      { class: 'field' },
      published && h('p', {}, t('by-rules', { name: named.title ?? own.slice(0, 8) })),
      items.length > 0 && [h('b', {}, t('differs-from', { game: card.title })), h('ul', {}, items)],
      link(to, t('own-rules'), 'button'),
    ),
  };
}

/** @param {Schema<'Variant'>} card @param {string} own */
async function terms(card, own) {
  const published = own !== '' && own !== card.id;
  const named = published ? await once(`/v1/rule-sets/${own}`) : card;
  const { min, max } = named.seats;
  const counts = Array.from(
    { length: max - min + 1 },
    (_, i) => /** @type {[string, string]} */ ([String(min + i), String(min + i)]),
  );
  const seats = select('seats', counts);
  const rules = rulesOf(card, own, named);
  const nations = nationChoice(named.nation_titles);
  return {
    sent: rules.sent,
    element: h(
      'div',
      {},
      rules.element,
      max > min && labelled(t('how-many'), seats),
      named.nations.length > 0 && labelled(t('nation'), nations),
    ),
  };
}

/** @param {Record<string, string>} values @param {Record<string, any>} rules */
async function offer(values, rules) {
  const move = Number(values.move_s);
  const challenge = await api.post('/v1/challenges', {
    ...rules,
    clock: move ? { kind: 'per-move', move_s: move } : { kind: 'none' },
    visibility: values.opponent ? 'direct' : /** @type {Schema<'Visibility'>} */ (values.visibility),
    rated: values.rated === 'yes',
    ...(values.opponent && { opponent: values.opponent }),
    ...(values.seats && { seats: Number(values.seats) }),
    ...(values.nation && { nation: values.nation }),
    ...(values.message && { message: values.message }),
  });
  go(`/challenge/${challenge.id}`);
}

/** @type {import('../router.js').Maker} */
export async function offerPage({ query }) {
  if (!me()) {
    const body = h(
      'div',
      {},
      h('h1', {}, t('offer-game')),
      nothing(t('offer-signed-out'), link('/variants', t('see-games'), 'button')),
      doors(`/lobby/new?${query}`),
    );
    return { title: t('offer-game'), body };
  }
  const all = await variants();
  const variant = select(
    'variant',
    all.map(({ id, title }) => [id, title]),
    query.get('variant') ?? all[0].id,
  );
  let card = await once(`/v1/variants/${variant.value}`);
  let now = await terms(card, query.get('rules') ?? '');
  const about = h('p', { class: 'muted' }, card.description);
  const box = h('div', {}, now.element);
  variant.addEventListener('change', async () => {
    card = await once(`/v1/variants/${variant.value}`);
    now = await terms(card, '');
    fill(about, card.description);
    fill(box, now.element);
  });
  const clocks = CLOCKS.map(([seconds, text]) => /** @type {[string, string]} */ ([String(seconds), t(String(text))]));
  const element = form(
    { submit: t('offer'), onSubmit: (values) => offer(values, now.sent) },
    labelled(t('game'), variant),
    about,
    box,
    labelled(t('clock'), select('move_s', clocks, '86400')),
    labelled(
      t('who-may'),
      select('visibility', [
        ['open', t('visibility-open')],
        ['link', t('visibility-link')],
      ]),
    ),
    labelled(
      t('opponent'),
      h('input', { name: 'opponent', value: query.get('opponent') ?? '', autocomplete: 'off', autocapitalize: 'off' }),
      t('opponent-help'),
    ),
    labelled(
      t('rated-question'),
      select('rated', [
        ['no', t('unrated')],
        .../** @type {[string, string][]} */ (me()?.guest ? [] : [['yes', t('rated')]]),
      ]),
    ),
    me()?.guest ? null : labelled(t('message'), h('input', { name: 'message', maxlength: 200, autocomplete: 'off' })),
  );
  return { title: t('offer-game'), body: h('div', {}, h('h1', {}, t('offer-game')), element) };
}
