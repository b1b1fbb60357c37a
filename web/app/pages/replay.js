/** A finished match, step by step, with everything revealed. */

import { api, once } from '../api.js';
import { fill, h } from '../dom.js';
import { download } from '../download.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { Boards } from '../match/boards.js';
import { fold, viewAt } from '../match/fold.js';
import { verification } from '../match/verification.js';
import { boardInWords, inWords } from '../match/vocabulary.js';
import { sentence } from '../match/words.js';
import { cardOf } from '../titles.js';
import { link, nothing } from '../ui.js';

/** Every report of a match. @param {string} id @param {AbortSignal} signal */
export async function allReports(id, signal) {
  /** @type {Schema<'Report'>[]} */
  const reports = [];
  /** @type {string | null} */
  let after = '0';
  while (after) {
    /** @type {Schema<'ReportPage'>} */
    const { items, next_cursor: next } = await api.get(`/v1/matches/${id}/reports`, { after, limit: 1000 }, signal);
    reports.push(...items);
    after = next;
  }
  return reports;
}

/**
 * A match that replays.
 * @param {Schema<'Match'>} view
 * @param {Schema<'Board'>} board
 * @param {Schema<'Report'>[]} reports
 * @param {{ card: import('../titles.js').Card, signal: AbortSignal, small?: boolean }} how
 */
export function player(view, board, reports, { card, signal, small = false }) {
  const steps = fold(view, reports);
  const boards = new Boards(board, { small });
  const range = h('input', {
    type: 'range',
    min: 0,
    max: steps.length - 1,
    value: String(small ? 0 : steps.length - 1),
    'aria-label': t('step'),
  });
  const line = h('p', { class: 'told', 'aria-live': small ? 'off' : 'polite' });
  const show = () => {
    const step = steps[Number(range.value)];
    const last = step === steps.at(-1);
    const told = (/** @type {string} */ sea) =>
      new Set((step?.told ?? []).filter(([where]) => where === sea).map(([, cell]) => cell));
    boards.show(last ? view : viewAt(view, step), undefined, told);
    fill(line, step && `${step.report.number}. ${sentence(step.report, view, card)}`);
  };
  const by = (/** @type {number} */ count) => {
    range.value = String(Number(range.value) + count);
    show();
  };
  range.addEventListener('input', show);
  show();
  return {
    element: h('div', { class: 'replay' }, boards.element, line),
    range,
    by,
    show,
    steps,
    line,
    running: running(by, range, steps.length, signal),
  };
}

/**
 * Runs by itself.
 * @param {(count: number) => void} by
 * @param {HTMLInputElement} range
 * @param {number} count
 * @param {AbortSignal} signal
 */
function running(by, range, count, signal) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  signal.addEventListener('abort', stop);
  return {
    stop,
    toggle: () => {
      if (timer) {
        stop();
        return false;
      }
      if (Number(range.value) >= count - 1) range.value = '0';
      timer = setInterval(() => (Number(range.value) >= count - 1 ? stop() : by(1)), 600);
      return true;
    },
    loop: () => {
      timer = setInterval(() => (Number(range.value) >= count - 1 ? by(1 - count) : by(1)), 700);
    },
  };
}

/** @type {import('../router.js').Maker} */
export async function replayPage({ params, signal }) {
  const path = /** @type {const} */ (`/v1/matches/${params.id}`);
  const seen = await api.get(path, {}, signal);
  const [drawn, card] = await Promise.all([once(`${path}/board`), cardOf(seen)]);
  const [view, board] = [inWords(seen, card), boardInWords(drawn, card)];
  const title = card.title ?? view.variant;
  if (!view.result) {
    return { title, body: nothing(t('not-over'), link(`/match/${view.id}`, t('to-match'), 'button')) };
  }
  const replay = player(view, board, await allReports(view.id, signal), { card, signal });
  const play = h('button', { type: 'button', class: 'primary' }, t('run'));
  play.addEventListener('click', () => {
    play.textContent = replay.running.toggle() ? t('stop') : t('run');
  });
  const step = (/** @type {string} */ text, /** @type {number} */ count, /** @type {string} */ name) =>
    h('button', { type: 'button', 'aria-label': name, on: { click: () => replay.by(count) } }, text);
  const controls = h(
    'div',
    { class: 'controls' },
    step('«', -replay.steps.length, t('first-step')),
    step('‹', -1, t('back-step')),
    play,
    step('›', 1, t('next-step')),
    step('»', replay.steps.length, t('last-step')),
    replay.range,
  );
  const names = view.seats.map(({ player: one }) => one.username).join(' – ');
  return {
    title: `${title}: ${t('replay')}`,
    body: h(
      'div',
      { class: 'match' },
      h(
        'header',
        { class: 'match-head' },
        h('h1', {}, title),
        h('p', { class: 'meta' }, `${names} · ${moment(view.finished_at ?? view.created_at)}`),
      ),
      controls,
      replay.element,
      proof(view),
    ),
  };
}

/** What can be checked. @param {Schema<'Match'>} view */
function proof(view) {
  const save = () => download(`/v1/matches/${view.id}/record`, `${view.id}.json`);
  return h(
    'section',
    { class: 'proof' },
    h('h2', {}, t('proof')),
    h('p', {}, t('proof-text')),
    h(
      'dl',
      {},
      h('dt', {}, t('commitment')),
      h('dd', {}, h('code', {}, view.proof.chance_commitment)),
      h('dt', {}, t('chain')),
      h('dd', {}, h('code', {}, view.proof.chain_head)),
    ),
    h('button', { type: 'button', on: { click: () => void save() } }, t('save-record')),
    ' ',
    link(`/match/${view.id}`, t('to-match'), 'button'),
    verification(view.id),
  );
}
