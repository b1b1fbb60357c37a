/** One match: boards, decision, log, chat. */

import { Problem, api, once, pause } from '../api.js';
import { markIcon } from '../board/marks.js';
import { announce, fill, h } from '../dom.js';
import { clockText, countdown, word } from '../format.js';
import { t } from '../i18n/index.js';
import { Boards } from '../match/boards.js';
import { ClockFold } from '../match/clock.js';
import { dragging } from '../match/drag.js';
import { judging } from '../match/judge.js';
import { bestOf } from '../match/outcome.js';
import { Panel, choiceOf, submit } from '../match/panel.js';
import { sound, soundSwitch } from '../match/sound.js';
import { StandingOrders } from '../match/standing.js';
import { substitutes } from '../match/substitutes.js';
import { chat, notes } from '../match/talk.js';
import { boardInWords, inWords } from '../match/vocabulary.js';
import { cellsTold, describe, readable, sentence } from '../match/words.js';
import { playedFor, playedForLine } from '../played-for.js';
import { go, visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { cardOf } from '../titles.js';
import { action, link, part, playerLink } from '../ui.js';
import { rematchToMe } from './challenges-received.js';

/** How many reports are shown at first. */
const LATEST = 60;

/** What is said of the button that goes on. */
const NEXT = { class: 'quiet', 'aria-keyshortcuts': 'N', 'data-next': '' };

/** Matches that "next match" has left behind. @type {Set<string>} */
const passed = new Set();

/** @typedef {import('../titles.js').Card} Card */

class MatchPage {
  /** @param {Schema<'Match'>} view @param {Schema<'Board'>} board @param {Card} card @param {AbortSignal} signal */
  constructor(view, board, card, signal) {
    this.view = inWords(view, card);
    this.card = card;
    this.signal = signal;
    this.boards = new Boards(boardInWords(board, card));
    /** @type {Schema<'Report'>[]} */
    this.reports = [];
    /** @type {Map<string, Set<string>>} */
    this.fresh = new Map();
    this.panel = new Panel({ act: (action) => this.#act(action), changed: () => this.#paint() });
    this.head = h('header', { class: 'match-head' });
    this.log = h('ol', { class: 'log', 'aria-label': t('log'), reversed: true });
    this.end = h('div');
    this.rematch = h('div');
    this.playedFor = h('div');
    this.judge = h('div');
    this.legend = h('ul', { class: 'legend' });
    this.clock = new ClockFold(view, signal);
    this.orders = typeof view.viewer.seat === 'number' ? this.#standing() : null;
    this.element = h(
      'div',
      { class: 'match' },
      this.head,
      this.end,
      h('div', { class: 'play-area' }, this.boards.element, this.panel.element, this.#more()),
    );
    this.#listen();
  }

  #standing() {
    return new StandingOrders(this.#table(), () => this.reports, this.signal);
  }

  #table() {
    return { view: this.view, card: this.card, charts: this.boards.charts };
  }

  #more() {
    const beside = me() ? [chat(this.view, this.signal), notes(this.view.id, this.signal)] : [];
    const log = h(
      'details',
      { class: 'fold', open: true },
      h('summary', {}, t('log')),
      h('div', { class: 'scroll-log', tabindex: 0, role: 'region', 'aria-label': t('log') }, this.log),
    );
    const legend = h('details', { class: 'fold' }, h('summary', {}, t('legend')), this.legend);
    const settings = h('details', { class: 'fold' }, h('summary', {}, t('page-settings')), soundSwitch());
    const seats = this.view.result ? null : substitutes(this.view, this.signal);
    const parts = [log, this.clock.element, this.orders?.element, beside, seats, this.judge, legend, settings];
    return h('div', { class: 'folds' }, parts.flat());
  }

  #listen() {
    const detail = (/** @type {Event} */ event) => /** @type {CustomEvent} */ (event).detail;
    this.element.addEventListener('sea-cell', (event) => {
      const { sea, cell } = detail(event);
      if (!this.orders?.press(cell)) this.panel.press(sea, cell);
    });
    this.element.addEventListener('sea-hover', (event) => this.panel.hover(detail(event).sea, detail(event).cell));
    dragging(/** @type {HTMLElement} */ (this.element.querySelector('.play-area')), this.panel);
    const keys = (/** @type {KeyboardEvent} */ event) => {
      const typing = /** @type {Element} */ (event.target).closest?.('input, textarea, select');
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'n' || event.key === 'N') void this.#next().catch(() => {});
      else if (this.panel.key(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', keys, { signal: this.signal });
    onEvent((event) => {
      const ours = event.match_id === this.view.id && event.type !== 'chat';
      if (ours) this.orders?.heard(event);
      if (ours || event.type === 'connected') void this.refresh().catch(() => {});
      if (event.type.startsWith('challenge-') || event.type === 'connected') void this.#askRematch().catch(() => {});
    }, this.signal);
  }

  /** Goes to the next match that waits: each comes once before one comes again. */
  async #next() {
    if (!me()) return;
    const { items } = await api.get('/v1/turns');
    const others = items.filter((match) => match.id !== this.view.id);
    passed.add(this.view.id);
    if (others.every(({ id }) => passed.has(id))) passed.clear();
    const other = others.find(({ id }) => !passed.has(id));
    passed.add(this.view.id);
    go(other ? `/match/${other.id}` : '/play');
  }

  /** Shows the opponent's wish to play again. */
  async #askRematch() {
    if (this.view.result) fill(this.rematch, await part(rematchToMe(this.view.id, this.signal)));
  }

  /** @param {Schema<'Action'>} action @param {boolean} [again] */
  async #act(action, again = false) {
    const before = waiting(this.view);
    try {
      const answer = await submit(this.view.id, this.view.version, action);
      if (answer.match) this.#take(answer.match, answer.reports, true);
    } catch (failure) {
      if (!(failure instanceof Problem) || failure.status !== 409) throw failure;
      await this.refresh();
      // Something happened meanwhile, but the decision is the same: it may be sent as it is.
      if (again || waiting(this.view) !== before) throw failure;
      await this.#act(action, true);
    }
  }

  /** @type {Promise<void> | null} */
  #refreshing = null;

  /** How often news were wanted. */
  #wanted = 0;

  /** Asks for what is new. */
  refresh() {
    this.#wanted++;
    this.#refreshing ??= this.#catchUp();
    return this.#refreshing;
  }

  /** Asks again when something has happened meanwhile: the answer may be older. */
  async #catchUp() {
    try {
      for (let seen = 0; seen !== this.#wanted; ) {
        seen = this.#wanted;
        await this.#load();
      }
    } finally {
      this.#refreshing = null;
    }
  }

  async #load() {
    await this.#follow(await api.get(`/v1/matches/${this.view.id}`, {}, this.signal));
  }

  /** Takes a later view, with the reports between. When the service was set back in time, the page begins anew.
   * @param {Schema<'Match'>} view */
  async #follow(view) {
    // What organizers can do is another thing once it is over.
    const ends = !!view.pairing && !!view.result && !this.view.result;
    if (epochOf(view) !== epochOf(this.view)) visit();
    else if (view.version > this.view.version) this.#take(view, await this.#reportsAfter(this.view.reports_cursor));
    if (ends) void this.#explainContest().catch(() => {});
  }

  /** @param {string} after a cursor */
  async #reportsAfter(after) {
    const { items } = await api.get(`/v1/matches/${this.view.id}/reports`, { after, limit: 1000 }, this.signal);
    return items;
  }

  /**
   * @param {Schema<'Match'>} view
   * @param {Schema<'Report'>[]} reports
   * @param {boolean} [own] whether they answer an action of this page
   */
  #take(view, reports, own = false) {
    if (view.version < this.view.version) return;
    const news = reports.filter(({ number }) => number > (this.reports.at(-1)?.number ?? 0));
    const before = this.view;
    this.view = inWords(view, this.card);
    this.reports.push(...news);
    this.fresh.clear();
    for (const [sea, cell] of news.flatMap((report) => cellsTold(report, view))) {
      this.fresh.set(sea, (this.fresh.get(sea) ?? new Set()).add(cell));
    }
    this.draw();
    const best = bestOf(news);
    if (best) sound(best);
    if (waiting(view) && !waiting(before)) sound('turn', best ? 0.5 : 0);
    const said = news.filter(readable).map((report) => sentence(report, view, this.card));
    if (said.length) announce(said.slice(-4).join('. '));
    if (!own && view.decisions.some((one) => one.required) && before.version !== view.version) {
      document.title = `● ${t('your-turn')}`;
    }
  }

  async start() {
    this.draw();
    const before = this.view.version - LATEST;
    this.reports = await this.#reportsAfter(before > 0 ? `${epochOf(this.view)}-${before}` : '0');
    this.draw();
    void this.#explainContest().catch(() => {});
    void this.#askRematch().catch(() => {});
    if (!me()) void this.#watch();
  }

  /** Says what the match is played for, until when, and what its organizers can do. */
  async #explainContest() {
    const found = await playedFor(this.signal)(this.view.pairing, this.view.id);
    if (!found) return;
    fill(this.playedFor, playedForLine(found, !!this.view.result));
    this.clock.roundUntil(found.dueAt);
    fill(this.judge, await judging(this.view, found, this.signal));
  }

  /** For those without a token: waits for news by asking. */
  async #watch() {
    while (!this.signal.aborted && !this.view.result) {
      try {
        const view = await api.get(
          `/v1/matches/${this.view.id}`,
          { wait_s: 25, after_version: this.view.version },
          this.signal,
        );
        await this.#follow(view);
      } catch {
        await pause(2000, this.signal).catch(() => {});
      }
    }
  }

  draw() {
    const { view, card } = this;
    fill(this.head, this.#header());
    fill(this.end, this.#result());
    this.panel.set(this.#table());
    this.clock.set(view);
    this.orders?.set(this.#table());
    if (this.panel.plan) this.boards.first(this.panel.plan.sea);
    this.#paint();
    this.#explain();
    const lines = this.reports.filter(readable).slice(-80).reverse();
    fill(
      this.log,
      lines.map((report) => {
        const { who, what, text } = describe(report, view, card);
        return h(
          'li',
          { value: report.number },
          who && h('b', {}, who),
          who && ' ',
          what,
          text && h('span', { class: 'told' }, ` ${text}`),
        );
      }),
    );
  }

  /** What the marks on the boards mean. */
  #explain() {
    const marks = this.view.seas.flatMap((sea) => sea.marks);
    const kinds = [...new Set(marks.map(({ kind }) => kind))];
    fill(
      this.legend,
      kinds.map((kind) => h('li', {}, markIcon({ kind }), word('mark', kind))),
    );
  }

  #paint() {
    this.boards.show(this.view, this.panel.choices(), (sea) => this.fresh.get(sea) ?? new Set());
  }

  #header() {
    const { view, card } = this;
    const seats = view.seats.map((seat) => {
      const acts = view.to_act.includes(seat.seat);
      const kind = ['seat', acts && 'acts', seat.status === 'out' && 'out', seat.seat === view.viewer.seat && 'self']
        .filter(Boolean)
        .join(' ');
      return h(
        'li',
        { class: kind },
        playerLink(seat.player),
        seat.rating ? h('small', {}, ` ${seat.rating}`) : null,
        ' ',
        acts && view.deadline ? countdown(view.deadline, this.signal) : null,
        seat.place ? h('small', {}, ` ${t('nth', { place: seat.place })}`) : null,
      );
    });
    return [
      h('h1', {}, card.title ?? view.variant),
      h(
        'p',
        { class: 'meta' },
        [
          word('status', view.status),
          view.round && t('round-of', view.round),
          clockText(view.clock),
          view.rated ? t('rated') : t('unrated'),
        ]
          .filter(Boolean)
          .join(' · '),
      ),
      this.playedFor,
      h('ul', { class: 'seats' }, seats),
      me() && action([t('next-match'), h('kbd', {}, 'N')], () => this.#next(), NEXT),
    ];
  }

  #result() {
    const { result, seats, viewer, id } = this.view;
    if (!result) return null;
    const winner = seats.find(({ seat }) => seat === result.winner);
    const own = winner && winner.seat === viewer.seat;
    const text = own ? t('you-won') : winner ? t('won-by', { name: winner.player.username }) : t('no-winner');
    const rematch = async () => {
      const challenge = await api.post(`/v1/matches/${id}/rematch`);
      go(challenge.match_id ? `/match/${challenge.match_id}` : `/challenge/${challenge.id}`);
    };
    return h(
      'div',
      { class: 'result', role: 'status' },
      h('p', {}, h('strong', {}, text), ` (${word('reason', result.reason)})`),
      h(
        'p',
        { class: 'buttons' },
        link(`/match/${id}/replay`, t('replay'), 'button'),
        seats.length === 2 && typeof viewer.seat === 'number' ? action(t('rematch'), rematch) : null,
      ),
      this.rematch,
    );
  }
}

/** Since when numbers of reports mean the same. @param {Schema<'Match'>} view */
function epochOf(view) {
  return view.reports_cursor.split('-')[0];
}

/** What the match waits for, to compare. @param {Schema<'Match'>} view */
function waiting(view) {
  return view.decisions
    .filter((one) => one.required)
    .map(choiceOf)
    .join();
}

/** @type {import('../router.js').Maker} */
export async function matchPage({ params, signal }) {
  const path = /** @type {const} */ (`/v1/matches/${params.id}`);
  const view = await api.get(path, {}, signal);
  const [board, card] = await Promise.all([once(`${path}/board`), cardOf(view)]);
  const page = new MatchPage(view, board, card, signal);
  await page.start();
  return { title: card.title ?? view.variant, body: page.element };
}
