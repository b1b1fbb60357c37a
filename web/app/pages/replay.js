/** A finished match, step by step, with everything revealed. */

import { api, once, pause } from '../api.js';
import { shipsMove } from '../board/wrecks.js';
import { fill, h } from '../dom.js';
import { download } from '../download.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { play } from '../kit/effects.js';
import { Boards } from '../match/boards.js';
import { fold, viewAt } from '../match/fold.js';
import { actsOf, shotsOf } from '../match/outcome.js';
import { sound } from '../match/sound.js';
import { styled } from '../match/styled.js';
import { verification } from '../match/verification.js';
import { allReports } from '../match/told.js';
import { boardInWords, inWords } from '../match/vocabulary.js';
import { sentence } from '../match/words.js';
import { cardOf } from '../titles.js';
import { link, nothing, select } from '../ui.js';

/** Milliseconds between two steps at normal speed, and the available speeds. */
const STEP = 1400;
const SPEEDS = ['0.5', '1', '2', '4'];

/** The replay of a match. @param {Schema<'Match'>} view @param {Schema<'Board'>} board
 * @param {Schema<'Report'>[]} reports @param {import('../titles.js').Card} card @param {AbortSignal} signal */
function film(view, board, reports, card, signal) {
  const steps = fold(view, reports);
  const boards = new Boards(board, { even: true, classes: card.classes, moving: shipsMove(card) });
  const end = steps.length - 1;
  const range = h('input', { type: 'range', min: 0, max: end, value: String(end), 'aria-label': t('step') });
  const line = h('p', { class: 'told', 'aria-live': 'polite' });
  const speeds = SPEEDS.map((speed) => /** @type {[string, string]} */ ([speed, `× ${speed.replace('0.5', '½')}`]));
  const speed = select('speed', speeds, '1');
  speed.setAttribute('aria-label', t('speed'));
  const seen = select('seen', [
    ['open', t('view-open')],
    ['own', t('view-own')],
  ]);
  seen.setAttribute('aria-label', t('show-what'));
  const own = view.viewer.seat;
  const at = () => Number(range.value);
  const show = () => {
    const step = steps[at()];
    const told = (/** @type {string} */ sea) =>
      new Set((step?.told ?? []).filter(([where]) => where === sea).map(([, cell]) => cell));
    boards.show(as(at() === end ? view : viewAt(view, step)), undefined, told);
    fill(line, step && `${step.report.number}. ${sentence(step.report, view, card)}`);
  };
  /** The viewer's knowledge: opponents' ships only once sunk. @param {Schema<'Match'>} whole */
  const as = (whole) => {
    if (seen.value !== 'own' || typeof own !== 'number') return whole;
    const known = (/** @type {Schema<'ShipView'>} */ ship) => ship.seat === own || ship.afloat === false;
    return { ...whole, seas: whole.seas.map((sea) => ({ ...sea, ships: sea.ships.filter(known) })) };
  };
  /** @param {number} step */
  const to = (step) => {
    range.value = String(step);
    show();
  };
  const sinkings = steps.flatMap(({ report }, i) => (shotsOf(report).some(({ sunk }) => sunk) ? [i] : []));
  const signs = sinkings.map((i) => {
    const sign = h('span', { class: 'sinking', 'aria-hidden': 'true', title: sentence(steps[i].report, view, card) });
    sign.style.left = `${(100 * i) / Math.max(1, end)}%`;
    return sign;
  });
  let runs = 0;
  const button = h('button', { type: 'button', class: 'primary' }, t('run'));
  const stop = () => {
    runs++;
    button.textContent = t('run');
  };
  const run = async () => {
    const mine = ++runs;
    button.textContent = t('stop');
    if (at() >= end) to(0);
    while (mine === runs && at() < end) {
      to(at() + 1);
      const rate = Number(speed.value);
      const acts = actsOf(steps[at()].report, viewAt(view, steps[at()]));
      for (const { sea, happenings } of acts) {
        const drawn = boards.parts.get(sea)?.board;
        if (drawn) void play(drawn, happenings, { speed: rate, vibrate: false, impact: sound });
      }
      await pause(STEP / rate, signal);
    }
    if (mine === runs) stop();
  };
  button.addEventListener('click', () => {
    if (button.textContent === t('stop')) stop();
    else void run().catch(() => {});
  });
  range.addEventListener('input', () => {
    stop();
    show();
  });
  seen.addEventListener('change', show);
  signal.addEventListener('abort', stop);
  const step = (/** @type {string} */ text, /** @type {() => number} */ where, /** @type {string} */ name) =>
    h('button', { type: 'button', 'aria-label': name, on: { click: () => (stop(), to(where())) } }, text);
  show();
  const controls = h(
    'div',
    { class: 'controls' },
    step('«', () => 0, t('first-step')),
    step('‹', () => at() - 1, t('back-step')),
    button,
    step('›', () => at() + 1, t('next-step')),
    step('»', () => end, t('last-step')),
    h('div', { class: 'scrub' }, range, signs),
    speed,
    typeof own === 'number' && seen,
  );
  return [controls, h('div', { class: 'replay' }, line, boards.element)];
}

/** @type {import('../router.js').Maker} */
export async function replayPage({ params, signal }) {
  const path = /** @type {const} */ (`/v1/matches/${params.id}`);
  const seen = await api.get(path, {}, signal);
  const [drawn, card] = await Promise.all([once(`${path}/board`), cardOf(seen), styled()]);
  const [view, board] = [inWords(seen, card), boardInWords(drawn, card)];
  const title = card.title ?? view.variant;
  if (!view.result) {
    return { title, body: nothing(t('not-over'), link(`/match/${view.id}`, t('to-match'), 'button')) };
  }
  const names = view.seats.map(({ player: one }) => one.username).join(' – ');
  return {
    title: `${title}: ${t('replay')}`,
    body: h(
      'div',
      {},
      h('h1', {}, title),
      h('p', { class: 'meta' }, `${names} · ${moment(view.finished_at ?? view.created_at)}`),
      film(view, board, await allReports(view.id, signal), card, signal),
      proof(view),
    ),
  };
}

/** The verifiable data of a match. @param {Schema<'Match'>} view */
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
