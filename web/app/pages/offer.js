/** Offering a game: which, to whom, with what clock, by whose rules. */

import { api, once } from '../api.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { rulesForm } from '../rules-form.js';
import { me } from '../session.js';
import { variants } from '../titles.js';
import { form, labelled, link, nothing, select, nationChoice } from '../ui.js';
import { doors } from './sign-in.js';

/** Clocks that are offered: seconds for a move, and what they are called. */
export const CLOCKS = [
  [300, 'clock-5m'],
  [3600, 'clock-1h'],
  [86_400, 'clock-1d'],
  [259_200, 'clock-3d'],
  [604_800, 'clock-7d'],
  [0, 'clock-free'],
];

/** @param {Schema<'Variant'>} card @param {AbortSignal} signal */
function terms(card, signal) {
  const { min, max } = card.seats;
  const counts = Array.from(
    { length: max - min + 1 },
    (_, i) => /** @type {[string, string]} */ ([String(min + i), String(min + i)]),
  );
  const seats = select('seats', counts);
  const rules = rulesForm(card, { seats: () => Number(seats.value), signal });
  const nations = nationChoice(card.nation_titles);
  const fold = h('details', { class: 'fold' }, h('summary', {}, t('own-rules')), rules.element);
  fold.addEventListener('toggle', rules.check, { once: true });
  return {
    seats,
    rules,
    element: h(
      'div',
      {},
      max > min && labelled(t('how-many'), seats),
      card.nations.length > 0 && labelled(t('nation'), nations),
      fold,
    ),
  };
}

/**
 * @param {Record<string, string>} values
 * @param {ReturnType<typeof rulesForm>} rules
 * @param {Schema<'Variant'>} card
 */
async function offer(values, rules, card) {
  const move = Number(values.move_s);
  const changes = rules.changes();
  const challenge = await api.post('/v1/challenges', {
    variant: card.id,
    clock: move ? { kind: 'per-move', move_s: move } : { kind: 'none' },
    visibility: values.opponent ? 'direct' : /** @type {Schema<'Visibility'>} */ (values.visibility),
    rated: values.rated === 'yes',
    ...(values.opponent && { opponent: values.opponent }),
    ...(values.seats && card.seats.max > card.seats.min && { seats: Number(values.seats) }),
    ...(values.nation && { nation: values.nation }),
    ...(values.message && { message: values.message }),
    ...(Object.keys(changes).length > 0 && { rule_set: changes }),
  });
  go(`/challenge/${challenge.id}`);
}

/** @type {import('../router.js').Maker} */
export async function offerPage({ query, signal }) {
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
  let now = terms(card, signal);
  const about = h('p', { class: 'muted' }, card.description);
  const box = h('div', {}, now.element);
  variant.addEventListener('change', async () => {
    card = await once(`/v1/variants/${variant.value}`);
    now = terms(card, signal);
    fill(about, card.description);
    fill(box, now.element);
  });
  const clocks = CLOCKS.map(([seconds, text]) => /** @type {[string, string]} */ ([String(seconds), t(String(text))]));
  const element = form(
    { submit: t('offer'), onSubmit: (values) => offer(values, now.rules, card) },
    labelled(t('game'), variant),
    about,
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
    box,
  );
  return { title: t('offer-game'), body: h('div', {}, h('h1', {}, t('offer-game')), element) };
}
