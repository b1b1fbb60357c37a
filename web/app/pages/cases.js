/** Cases: decisions about the reader, with appeal; for moderators and organizers, a list and a page. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { go, href, visit } from '../router.js';
import { me } from '../session.js';
import { action, form, labelled, link, nothing, pages, playerLink, select } from '../ui.js';

/** @param {Promise<unknown>} work */
const again = async (work) => {
  await work;
  visit();
};

/** @param {{ ladder_id: string | null, tournament_id: string | null }} of */
function whose(of) {
  if (of.ladder_id) return link(`/ladders/${of.ladder_id}`, t('case-of-ladder'));
  if (of.tournament_id) return link(`/tournaments/${of.tournament_id}`, t('case-of-tournament'));
  return t('case-of-moderators');
}

/** @param {Schema<'CaseEvidence'>} one */
function piece(one) {
  const said = one.details.text ?? one.details.bio;
  const figures = one.kind === 'hit-analysis' && t('case-hits', one.details);
  return h(
    'li',
    {},
    `${t(`evidence.${one.kind}`)}, ${moment(one.at)} `,
    one.match_ids
      .slice(0, 5)
      .flatMap((id, index) => [link(`/match/${id}`, t('case-match', { number: index + 1 })), ' ']),
    figures && h('p', {}, figures),
    typeof said === 'string' && h('blockquote', {}, said),
  );
}

/** @param {Schema<'CaseDecision'>} decision */
function decided(decision) {
  return [
    h('p', {}, h('strong', {}, t(`decision.${decision.kind}`)), ` · ${moment(decision.at)}`),
    h('blockquote', {}, decision.reason),
    decision.suspended_until && h('p', {}, t('case-until', { time: moment(decision.suspended_until) })),
  ];
}

/** @param {Schema<'CaseAppeal'>} appeal */
function appealed(appeal) {
  return [
    h('h3', {}, t('appeal')),
    appeal.text && h('blockquote', {}, appeal.text),
    appeal.outcome
      ? h('p', {}, t(`appeal.${appeal.outcome}`), appeal.remedy && ` ${t(`remedy.${appeal.remedy}`)}`)
      : h('p', {}, t('appeal-waits')),
    appeal.reason && h('blockquote', {}, appeal.reason),
  ];
}

/** @param {string} name @param {number} most */
const lines = (name, most) => h('textarea', { name, required: true, maxlength: most, rows: 4 });

/** @param {Schema<'OwnCase'>} one */
function ownCase(one) {
  const send = (/** @type {Record<string, string>} */ { text }) =>
    again(api.post(`/v1/account/cases/${one.id}/appeal`, { text: text ?? '' }));
  return h(
    'article',
    { class: 'card' },
    h('h2', {}, one.title),
    h('p', { class: 'meta' }, whose(one)),
    one.decision && decided(one.decision),
    one.evidence.length > 0 && [h('h3', {}, t('evidence')), h('ul', {}, one.evidence.map(piece))],
    one.appeal && appealed(one.appeal),
    one.appeal_until &&
      form(
        { submit: t('appeal-send'), onSubmit: send },
        labelled(t('appeal'), lines('text', 2000), t('appeal-help', { time: moment(one.appeal_until) })),
      ),
  );
}

/** @type {import('../router.js').Maker} */
export async function ownCasesPage({ signal }) {
  const list = me()
    ? await pages('/v1/account/cases', {}, signal, ownCase, nothing(t('no-decisions')))
    : h('p', {}, t('account-signed-out'));
  return { title: t('decisions-about-me'), body: h('div', {}, h('h1', {}, t('decisions-about-me')), list) };
}

/** @param {Schema<'CaseSummary'>} one */
const summary = (one) =>
  h(
    'article',
    { class: 'card' },
    h('h2', {}, link(`/cases/${one.id}`, one.title)),
    h(
      'p',
      { class: 'meta' },
      one.player && playerLink(one.player),
      ` · ${t(`case.${one.state}`)} · `,
      whose(one),
      ` · ${moment(one.opened_at)}`,
    ),
  );

/** @param {string | null} contest */
function opening(contest) {
  const send = async (/** @type {Record<string, string>} */ { player = '', title = '' }) => {
    const made = await api.post('/v1/cases', { ...(contest && { contest_id: contest }), player, title });
    go(`/cases/${made.id}`);
  };
  return h(
    'details',
    { class: 'fold' },
    h('summary', {}, t('open-case')),
    form(
      { submit: t('open-case'), onSubmit: send },
      labelled(t('player'), h('input', { name: 'player', required: true, maxlength: 24 })),
      labelled(t('case-title'), h('input', { name: 'title', required: true, minlength: 3, maxlength: 80 })),
    ),
  );
}

/** @type {import('../router.js').Maker} */
export async function casesPage({ query, signal }) {
  const contest = query.get('contest');
  const of = contest ? { contest_id: contest } : {};
  const list = await pages('/v1/cases', of, signal, summary, nothing(t('no-cases')));
  return { title: t('cases'), body: h('div', {}, h('h1', {}, t('cases')), opening(contest), list) };
}

/** Decisions without further details; the others need the API. @param {Schema<'Case'>} one */
function deciding(one) {
  const contest = one.ladder_id ?? one.tournament_id;
  /** @type {Schema<'CaseDecisionKind'>[]} */
  const kinds = contest ? ['no-action', 'warning', 'removal', 'bar'] : ['no-action', 'warning', 'suspension'];
  const send = (/** @type {Record<string, string>} */ { decision, reason = '', days }) =>
    again(
      api.post(`/v1/cases/${one.id}/decide`, {
        decision: kinds.find((kind) => kind === decision) ?? 'no-action',
        reason,
        ...(decision === 'suspension' && { suspension: days ? { expires_in_s: Number(days) * 86400 } : {} }),
      }),
    );
  const days = h('input', { name: 'days', type: 'number', min: 1, max: 3650 });
  return form(
    { submit: t('decide'), onSubmit: send },
    labelled(
      t('decision'),
      select(
        'decision',
        kinds.map((kind) => [kind, t(`decision.${kind}`)]),
      ),
    ),
    !contest && labelled(t('case-days'), days, t('case-days-help')),
    labelled(t('reason'), h('input', { name: 'reason', required: true, maxlength: 500 }), t('case-reason-help')),
  );
}

/** @param {Schema<'Case'>} one */
function answering(one) {
  /** @type {Schema<'CaseAppealOutcome'>[]} */
  const outcomes = ['upheld', 'overturned'];
  const send = (/** @type {Record<string, string>} */ { outcome, reason = '' }) =>
    again(
      api.post(`/v1/cases/${one.id}/appeal/decide`, {
        outcome: outcomes.find((word) => word === outcome) ?? 'upheld',
        reason,
      }),
    );
  return form(
    { submit: t('decide'), onSubmit: send },
    labelled(
      t('appeal'),
      select(
        'outcome',
        outcomes.map((word) => [word, t(`appeal.${word}`)]),
      ),
    ),
    labelled(t('reason'), h('input', { name: 'reason', required: true, maxlength: 500 }), t('case-reason-help')),
  );
}

/** A match as evidence, and notes. @param {Schema<'Case'>} one */
function adding(one) {
  const match = (/** @type {Record<string, string>} */ { match_id = '' }) =>
    again(api.post(`/v1/cases/${one.id}/evidence`, { kind: 'match', match_id: match_id.split('/').pop() ?? '' }));
  const hits = () => again(api.post(`/v1/cases/${one.id}/evidence`, { kind: 'hit-analysis' }));
  return [
    form(
      { submit: t('add-evidence'), onSubmit: match },
      labelled(t('evidence.match'), h('input', { name: 'match_id', required: true }), t('evidence-help')),
    ),
    !one.ladder_id && !one.tournament_id && action(t('evidence.hit-analysis'), hits),
  ];
}

/** @type {import('../router.js').Maker} */
export async function casePage({ params, signal }) {
  const one = await api.get(`/v1/cases/${params.id}`, {}, signal);
  const note = (/** @type {Record<string, string>} */ { text = '' }) =>
    again(api.post(`/v1/cases/${one.id}/notes`, { text }));
  return {
    title: one.title,
    body: h(
      'article',
      {},
      h('h1', {}, one.title),
      h('p', { class: 'meta' }, one.player && playerLink(one.player), ` · ${t(`case.${one.state}`)} · `, whose(one)),
      h('h2', {}, t('evidence')),
      h('ul', {}, one.evidence.map(piece)),
      one.state === 'open' && adding(one),
      one.verdict && [h('h2', {}, t('decision')), ...decided(one.verdict)],
      one.appeal && appealed(one.appeal),
      one.state === 'open' && deciding(one),
      one.state === 'appealed' && answering(one),
      h('h2', {}, t('case-notes')),
      one.notes.map((each) => h('p', {}, each.author?.username ?? '', ` · ${moment(each.at)}`, h('br'), each.text)),
      form({ submit: t('save'), onSubmit: note }, labelled(t('case-note'), lines('text', 2000), t('case-note-help'))),
    ),
  };
}

/** A link to the cases of a contest, for its organizers. @param {Schema<'Ladder'> | Schema<'Tournament'>} contest */
export function casesLink(contest) {
  const name = me()?.username;
  const runs = !!name && [contest.creator, ...contest.organizers].some((player) => player?.username === name);
  return runs && h('p', {}, h('a', { href: href(`/cases?contest=${contest.id}`) }, t('cases')));
}
