/** Making a ladder or a tournament: what is played, how people meet, who gets in. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { me } from '../session.js';
import { variants } from '../titles.js';
import { form, labelled, nothing, select } from '../ui.js';
import { CLOCKS } from './offer.js';
import { doors } from './sign-in.js';

const DAY_S = 86_400;

/** Lengths of a season: days, and what they are called. */
const SEASONS = [
  [0, 'season-none'],
  [30, 'season-month'],
  [91, 'season-quarter'],
  [365, 'season-year'],
];

/** @param {(string | number)[][]} pairs values with the keys of their texts @returns {[string, string][]} */
const options = (pairs) => pairs.map(([value, key]) => [String(value), t(String(key))]);

/** @param {string} name @param {number} min @param {number} max @param {number | ''} [value] */
const number = (name, min, max, value = '') => h('input', { name, type: 'number', min, max, value });

/** What ladders and tournaments have alike. @param {Record<string, string>} values */
const common = (values) => ({
  title: values.title ?? '',
  ...(values.description && { description: values.description }),
  variant: values.variant ?? '',
  clock: { kind: /** @type {const} */ ('per-move'), move_s: Number(values.move_s) },
  rated: values.rated === 'yes',
  entry: /** @type {Schema<'EntryMode'>} */ (values.entry),
  visibility: /** @type {Schema<'ContestVisibility'>} */ (values.visibility),
});

/** @param {(seats: { min: number, max: number }) => boolean} fits which games are offered */
async function firstFields(fits) {
  const all = (await variants()).filter(({ seats }) => fits(seats));
  const title = h('input', { name: 'title', required: true, minlength: 3, maxlength: 80, autocomplete: 'off' });
  const titles = all.map(({ id, title: name }) => /** @type {[string, string]} */ ([id, name]));
  return [
    labelled(t('contest-title'), title),
    labelled(t('description'), h('textarea', { name: 'description', maxlength: 2000, rows: 3 })),
    labelled(t('game'), select('variant', titles)),
    labelled(t('clock'), select('move_s', options(CLOCKS.filter(([seconds]) => seconds)), String(3 * DAY_S))),
    labelled(
      t('rated-question'),
      select('rated', [
        ['no', t('unrated')],
        ['yes', t('rated')],
      ]),
    ),
  ];
}

const lastFields = () => [
  labelled(
    t('who-gets-in'),
    select('entry', [
      ['open', t('entry-is-open')],
      ['approval', t('entry-approval')],
      ['invitation', t('entry-invitation')],
    ]),
  ),
  labelled(
    t('who-sees-it'),
    select('visibility', [
      ['public', t('seen-by-all')],
      ['private', t('seen-by-members')],
    ]),
  ),
];

/** @param {string} heading @param {string} path where to come back to @param {Node[]} fields
 * @param {(values: Record<string, string>) => Promise<void>} onSubmit */
function page(heading, path, fields, onSubmit) {
  const body = me()
    ? [h('p', {}, t('contest-help')), form({ submit: t('make-it'), onSubmit }, fields)]
    : [nothing(t('contest-signed-out')), doors(path)];
  return { title: heading, body: h('div', {}, h('h1', {}, heading), body) };
}

/** @type {import('../router.js').Maker} */
export async function newLadderPage() {
  const divisions = h(
    'div',
    {},
    labelled(t('division-size'), number('division_size', 4, 100), t('division-help')),
    labelled(t('promotions'), number('promotions', 1, 50, 1)),
  );
  const seasons = select('season_days', options(SEASONS), '91');
  const drawSeason = () => void (divisions.hidden = seasons.value === '0');
  seasons.addEventListener('change', drawSeason);
  const kind = select('format', [
    ['rating', t('format-rating')],
    ['position', t('format-position')],
  ]);
  const size = h('div', {}, labelled(t('season-length'), seasons), divisions);
  kind.addEventListener('change', () => {
    fill(size, labelled(t('season-length'), seasons), kind.value === 'rating' && divisions);
  });
  const fields = [
    ...(await firstFields(({ min }) => min === 2)),
    labelled(t('how-people-meet'), kind),
    size,
    labelled(t('max-pairings'), number('max_pairings', 1, 20, 2), t('max-pairings-help')),
    ...lastFields(),
  ];
  return page(t('new-ladder'), '/ladders/new', fields, async (values) => {
    const days = Number(values.season_days);
    const ladder = await api.post('/v1/ladders', {
      ...common(values),
      format: /** @type {Schema<'LadderFormat'>} */ (values.format),
      max_pairings: Number(values.max_pairings ?? 1),
      ...(days && { season_s: days * DAY_S }),
      ...(days &&
        values.division_size && {
          divisions: { size: Number(values.division_size), promotions: Number(values.promotions ?? 1) },
        }),
    });
    go(`/ladders/${ladder.id}`);
  });
}

/** @type {import('../router.js').Maker} */
export async function newTournamentPage() {
  const rounds = labelled(t('rounds'), number('rounds', 1, 30, 5));
  const kind = select('format', [
    ['round-robin', t('format-round-robin')],
    ['swiss', t('format-swiss')],
    ['knockout', t('format-knockout')],
    ['groups', t('format-groups')],
    ['tables', t('format-tables')],
  ]);
  const drawKind = () => void (rounds.hidden = !['swiss', 'tables'].includes(kind.value));
  kind.addEventListener('change', drawKind);
  drawKind();
  const fields = [
    ...(await firstFields(() => true)),
    labelled(t('how-people-meet'), kind),
    rounds,
    labelled(t('most-players'), number('max_players', 3, 512), t('most-players-help')),
    labelled(t('round-days'), number('round_days', 1, 365), t('round-days-help')),
    ...lastFields(),
  ];
  return page(t('new-tournament'), '/tournaments/new', fields, async (values) => {
    const format = /** @type {Schema<'TournamentFormat'>} */ (values.format);
    const tournament = await api.post('/v1/tournaments', {
      ...common(values),
      format,
      ...(['swiss', 'tables'].includes(format) && values.rounds && { rounds: Number(values.rounds) }),
      ...(values.max_players && { max_players: Number(values.max_players) }),
      ...(values.round_days && { round_time_s: Number(values.round_days) * DAY_S }),
    });
    go(`/tournaments/${tournament.id}`);
  });
}
