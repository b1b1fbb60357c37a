/** Creating a ladder or tournament: game, format, entry. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { span } from '../format.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { me } from '../session.js';
import { variants } from '../titles.js';
import { form, labelled, nothing, select } from '../ui.js';
import { number } from './contest-form.js';
import { CLOCKS } from './offer.js';
import { doors } from './sign-in.js';

const DAY_S = 86_400;

/** Lengths of a season: days and text key. */
const SEASONS = [
  [0, 'season-none'],
  [30, 'season-month'],
  [91, 'season-quarter'],
  [365, 'season-year'],
];

/** Time before two members of a ladder meet again: seconds after the end of their pairing, and text key. */
const RETURNS = [
  ['', 'no-return-usual'],
  [0, 'no-return-none'],
  [DAY_S, 'no-return-day'],
  [7 * DAY_S, 'no-return-week'],
];

/** Time for an organizer's review of a round, in seconds. */
const REVIEWS_S = [3600, 12 * 3600, DAY_S, 3 * DAY_S];

/** Shows or hides a field. A hidden field isn't sent. @param {HTMLElement} field @param {boolean} shown */
function show(field, shown) {
  field.hidden = !shown;
  for (const input of field.querySelectorAll('input, select')) input.toggleAttribute('disabled', !shown);
}

/** @param {(string | number)[][]} pairs values with the keys of their texts @returns {[string, string][]} */
const options = (pairs) => pairs.map(([value, key]) => [String(value), t(String(key))]);

/** Fields of both ladders and tournaments. @param {Record<string, string>} values */
const common = (values) => ({
  title: values.title ?? '',
  ...(values.description && { description: values.description }),
  variant: values.variant ?? '',
  clock: { kind: /** @type {const} */ ('per-move'), move_s: Number(values.move_s) },
  rated: values.rated === 'yes',
  entry: /** @type {Schema<'EntryMode'>} */ (values.entry),
  visibility: /** @type {Schema<'ContestVisibility'>} */ (values.visibility),
});

/** Games that fit pairs, and games that fit tables. @type {Record<string, (seats: Seats) => boolean>} */
const FITS = { two: ({ min }) => min === 2, tables: ({ max }) => max > 2 };

/** @typedef {{ min: number, max: number }} Seats */

/** A choice of games, redrawn when pairs or tables change. */
async function games() {
  const all = await variants();
  const choice = select('variant', []);
  const offer = (/** @type {keyof typeof FITS} */ where) => {
    const before = choice.value;
    const fit = all.filter(({ seats }) => FITS[where]?.(seats));
    fill(
      choice,
      fit.map(({ id, title }) => h('option', { value: id, selected: id === before }, title)),
    );
  };
  offer('two');
  return { choice, offer };
}

/** @param {HTMLSelectElement} choice of games */
function firstFields(choice) {
  const title = h('input', { name: 'title', required: true, minlength: 3, maxlength: 80, autocomplete: 'off' });
  return [
    labelled(t('contest-title'), title),
    labelled(t('description'), h('textarea', { name: 'description', maxlength: 2000, rows: 3 })),
    labelled(t('game'), choice),
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

/** @param {string} heading @param {string} path of the page behind @param {Node[]} fields
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
  const returns = select('no_return_s', options(RETURNS));
  const again = labelled(t('no-return'), returns, t('no-return-help'));
  kind.addEventListener('change', () => {
    fill(size, labelled(t('season-length'), seasons), kind.value === 'rating' && divisions);
    show(again, kind.value === 'rating');
  });
  const fields = [
    ...firstFields((await games()).choice),
    labelled(t('how-people-meet'), kind),
    size,
    again,
    labelled(t('max-pairings'), number('max_pairings', 1, 20, 2), t('max-pairings-help')),
    ...lastFields(),
  ];
  return page(t('new-ladder'), '/ladders/new', fields, async (values) => {
    const days = Number(values.season_days);
    const ladder = await api.post('/v1/ladders', {
      ...common(values),
      format: /** @type {Schema<'LadderFormat'>} */ (values.format),
      max_pairings: Number(values.max_pairings ?? 1),
      ...(values.no_return_s && { pairing_rule: { no_return_s: Number(values.no_return_s) } }),
      ...(days && { season_s: days * DAY_S }),
      ...(days &&
        values.division_size && {
          divisions: { size: Number(values.division_size), promotions: Number(values.promotions ?? 1) },
        }),
    });
    go(`/ladders/${ladder.id}`);
  });
}

/** Fields of some formats of a tournament, with these formats. @returns {[HTMLElement, string[]][]} */
const formatFields = () => [
  [labelled(t('rounds'), number('rounds', 1, 30, 5)), ['swiss', 'tables']],
  [labelled(t('table-seats'), number('seats', 3, 7), t('table-seats-help')), ['tables']],
  [labelled(t('group-count'), number('count', 2, 64), t('group-count-help')), ['groups']],
  [
    labelled(
      t('best-of'),
      select(
        'best_of',
        ['1', '3', '5', '7'].map((count) => [count, count]),
      ),
    ),
    ['knockout', 'groups'],
  ],
  [labelled(t('late-until'), number('until_round', 2, 30), t('late-until-help')), ['swiss', 'tables']],
  [
    labelled(
      t('byes'),
      select('byes', [
        ['', t('byes-none')],
        ['1', '1'],
        ['2', '2'],
      ]),
    ),
    ['swiss', 'tables'],
  ],
  [
    labelled(
      t('review'),
      select('review_s', [
        ['', t('review-none')],
        ...REVIEWS_S.map((s) => /** @type {[string, string]} */ ([String(s), t('review-for', { time: span(s) })])),
      ]),
    ),
    ['swiss'],
  ],
];

/** Values of some formats: hidden fields have none. @param {Record<string, string>} values
 * @returns {Partial<Schema<'CreateTournamentRequest'>>} */
const ofFormat = (values) => ({
  ...(values.rounds && { rounds: Number(values.rounds) }),
  ...(values.seats && { seats: Number(values.seats) }),
  ...(values.count && { groups: { count: Number(values.count) } }),
  ...(values.best_of && { knockout: { best_of: Number(values.best_of) } }),
  ...(values.until_round && { late_entry: { until_round: Number(values.until_round), missed_round: 'half-point' } }),
  ...(values.byes && { requested_byes: { max: Number(values.byes) } }),
  ...(values.review_s && { review_s: Number(values.review_s) }),
});

/** @type {import('../router.js').Maker} */
export async function newTournamentPage() {
  const kind = select('format', [
    ['round-robin', t('format-round-robin')],
    ['swiss', t('format-swiss')],
    ['knockout', t('format-knockout')],
    ['groups', t('format-groups')],
    ['tables', t('format-tables')],
  ]);
  const { choice, offer } = await games();
  const own = formatFields();
  const drawKind = () => {
    for (const [field, formats] of own) show(field, formats.includes(kind.value));
    offer(kind.value === 'tables' ? 'tables' : 'two');
  };
  kind.addEventListener('change', drawKind);
  drawKind();
  const fields = [
    ...firstFields(choice),
    labelled(t('how-people-meet'), kind),
    ...own.map(([field]) => field),
    labelled(t('most-players'), number('max_players', 3, 512), t('most-players-help')),
    labelled(t('round-days'), number('round_days', 1, 365), t('round-days-help')),
    ...lastFields(),
  ];
  return page(t('new-tournament'), '/tournaments/new', fields, async (values) => {
    const tournament = await api.post('/v1/tournaments', {
      ...common(values),
      format: /** @type {Schema<'TournamentFormat'>} */ (values.format),
      ...ofFormat(values),
      ...(values.max_players && { max_players: Number(values.max_players) }),
      ...(values.round_days && { round_time_s: Number(values.round_days) * DAY_S }),
    });
    go(`/tournaments/${tournament.id}`);
  });
}
