/** One match: seas, decisions, log and chat. */

import { Problem, api, once, pause } from '../api.js';
import { shipsMove } from '../board/wrecks.js';
import { announce, fill, h } from '../dom.js';
import { clockText, countdown, word } from '../format.js';
import { t } from '../i18n/index.js';
import { markIcon } from '../kit/marks.js';
import { Boards } from '../match/boards.js';
import { ClockFold } from '../match/clock.js';
import { dragging } from '../match/drag.js';
import { banner, figures } from '../match/end.js';
import { actsOf, firing, shotsOf } from '../match/outcome.js';
import { Panel, choiceOf, submit } from '../match/panel.js';
import { rulesButton } from '../match/purpose.js';
import { sound, soundSwitch } from '../match/sound.js';
import { Stage } from '../match/stage.js';
import { StandingOrders } from '../match/standing.js';
import { styled } from '../match/styled.js';
import { substitutes } from '../match/substitutes.js';
import { tabs } from '../match/tabs.js';
import { chat, notes } from '../match/talk.js';
import { allReports } from '../match/told.js';
import { boardInWords, inWords } from '../match/vocabulary.js';
import { cellsTold, readable, seatOf, sentence } from '../match/words.js';
import { recall, remember } from '../memory.js';
import { go, visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { cardOf } from '../titles.js';
import { lesson } from '../tutorial.js';
import { action, labelled, part, playerLink } from '../ui.js';
import { rematchToMe } from './challenges-received.js';

/** Limits: reports replayed after an absence, lines of the log, matches with stored seen reports. */
const [MISSED, LINES, KEPT] = [6, 120, 100];
/** Milliseconds for the result of a shot before the next match opens. */
const GOING = 2200;

/** Attributes of the "next match" button. */
const NEXT = { class: 'quiet', 'aria-keyshortcuts': 'N', 'data-next': '' };

/** Matches skipped by "next match". @type {Set<string>} */
const passed = new Set();
/** The match is one of a list of turns in progress. */
let inList = false;

/** @typedef {import('../titles.js').Card} Card */

class MatchPage {
  /** @param {Schema<'Match'>} view @param {Schema<'Board'>} board @param {Card} card @param {AbortSignal} signal */
  constructor(view, board, card, signal) {
    this.view = inWords(view, card);
    this.card = card;
    this.signal = signal;
    const looked = (/** @type {string} */ sea) => {
      this.looked = sea;
      this.panel.about(sea);
      this.#paint();
    };
    this.boards = new Boards(boardInWords(board, card), { classes: card.classes, moving: shipsMove(card), looked });
    this.stage = new Stage(this.boards, () => this.#paint(), signal);
    this.looked = '';
    /** @type {Schema<'Report'>[]} */
    this.reports = [];
    /** @type {Map<string, Set<string>>} */
    this.fresh = new Map();
    this.panel = new Panel({ act: (action) => this.#act(action), changed: () => this.#paint() });
    this.lesson = lesson(view.id);
    /** @type {string[]} */
    this.stressed = [];
    const switchHere = soundSwitch(signal);
    this.meta = h('p', { class: 'meta' });
    this.seats = h('ul', { class: 'seats' });
    this.news = h('p', { class: 'news' });
    this.log = h('ol', { class: 'log', 'aria-label': t('log'), reversed: true });
    this.end = h('div', { class: 'end' });
    this.rematch = h('div');
    this.tally = h('div', { class: 'tally-now' });
    this.playedFor = h('div');
    this.judge = h('div');
    this.legend = h('ul', { class: 'legend' });
    this.clock = new ClockFold(view, signal);
    this.orders = typeof view.viewer.seat === 'number' ? this.#standing() : null;
    const next = me() && action([t('next-match'), h('kbd', {}, 'N')], () => this.#next(), NEXT);
    const head = h(
      'header',
      { class: 'match-head' },
      h('h1', {}, card.title ?? view.variant),
      rulesButton(card),
      switchHere,
      next,
      this.meta,
      this.playedFor,
    );
    const side = h('div', { class: 'side' }, this.boards.others, this.news, this.#sheets(), this.#folds());
    const figure = h('div', { class: 'rail' }, this.tally);
    this.element = h(
      'div',
      { class: `match seas-${view.seas.length}` },
      this.end,
      head,
      this.seats,
      this.lesson?.element,
      h(
        'div',
        { class: 'play-area' },
        h('div', { class: 'table' }, this.boards.element, this.panel.element, figure),
        side,
      ),
    );
    this.#measure();
    this.#listen();
  }

  /** Measures the height of everything above and below the sea, which fits between. */
  #measure() {
    const { style } = this.element;
    const area = this.element.querySelector('.play-area');
    let [known, bar] = ['', 0];
    const measure = () => {
      const top = area && this.element.isConnected ? area.getBoundingClientRect().top + scrollY : 0;
      if (top) style.setProperty('--above', `${Math.round(top)}px`);
      // The sea keeps its size when the bar is lower for a turn.
      const now = `${this.view.status} ${innerWidth} ${innerHeight}`;
      if (known !== now) {
        [known, bar] = [now, 0];
        style.removeProperty('--bar');
      }
      bar = Math.max(bar, this.panel.element.offsetHeight);
      style.setProperty('--bar', `${bar}px`);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(this.panel.element);
    observer.observe(this.seats);
    observer.observe(document.documentElement);
    this.signal.addEventListener('abort', () => observer.disconnect());
  }

  #standing() {
    return new StandingOrders(this.#table(), () => this.reports, this.signal);
  }

  #table() {
    return { view: this.view, card: this.card, charts: this.boards.charts };
  }

  #sheets() {
    const log = h('div', { class: 'scroll-log' }, this.log);
    const beside = me()
      ? [chat(this.view, this.signal), notes(this.view.id, this.signal)]
      : /** @type {HTMLElement[]} */ ([]);
    const titles = [t('log'), t('chat'), t('my-notes')];
    return tabs(
      [log, ...beside].map((inside, i) => /** @type {[string, HTMLElement]} */ ([titles[i], inside])),
      t('beside'),
    );
  }

  #folds() {
    const seats = this.view.result ? null : substitutes(this.view, this.signal);
    const on = h('input', { type: 'checkbox', name: 'go-on', checked: this.#goesOn() });
    on.addEventListener('change', () => remember('go-on', on.checked));
    const settings = h(
      'details',
      { class: 'fold' },
      h('summary', {}, t('page-settings')),
      labelled(t('go-on'), on, t('go-on-help')),
    );
    const legend = h('details', { class: 'fold' }, h('summary', {}, t('legend')), this.legend);
    const parts = [this.clock.element, this.orders?.element, seats, this.judge, legend, me() && settings];
    return h('div', { class: 'folds' }, parts);
  }

  /** True if the next match opens after a move: by setting, else while working through a list of turns. */
  #goesOn() {
    return recall('go-on') ?? inList;
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
      const typing = /** @type {Element} */ (event.target).closest?.('input, textarea, select, dialog');
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'n' || event.key === 'N') void this.#next().catch(() => {});
      else if (this.panel.key(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', keys, { signal: this.signal });
    onEvent((event) => {
      const ours = event.match_id === this.view.id && event.type !== 'chat';
      if (ours) this.orders?.heard(event);
      if ((ours && !this.#known(event)) || event.type === 'connected') void this.refresh().catch(() => {});
      if (event.type.startsWith('challenge-') || event.type === 'connected') void this.#askRematch().catch(() => {});
    }, this.signal);
  }

  /** True if the page already knows the event, such as the viewer's own action.
   * @param {import('../stream.js').Heard} event */
  #known({ type, report, version }) {
    const number = type === 'report' ? report?.number : type === 'your-turn' ? version : undefined;
    if (typeof number !== 'number') return false;
    if (this.busy) this.heard = Math.max(this.heard, number);
    return this.busy || number <= this.view.version;
  }

  /** Goes to the next waiting match: each comes once before any repeats. @param {boolean} [stay] if there is none */
  async #next(stay = false) {
    if (!me()) return;
    const { items } = await api.get('/v1/turns');
    const others = items.filter((match) => match.id !== this.view.id);
    passed.add(this.view.id);
    if (others.every(({ id }) => passed.has(id))) passed.clear();
    const other = others.find(({ id }) => !passed.has(id));
    passed.add(this.view.id);
    if (this.signal.aborted || (stay && !other)) return;
    inList = true;
    go(other ? `/match/${other.id}` : '/play');
  }

  /** After a move: opens the next match once effects were shown and nothing waits here. */
  async #goOn() {
    if (!this.#goesOn() || this.view.result || waiting(this.view)) return;
    const { version } = this.view;
    await pause(GOING, this.signal);
    if (this.view.version === version) await this.#next(true);
  }

  /** Shows the opponent's rematch challenge. */
  async #askRematch() {
    if (this.view.result) fill(this.rematch, await part(rematchToMe(this.view.id, this.signal)));
  }

  /** An action is in progress: its answer includes all events meanwhile. */
  busy = false;

  /** @param {Schema<'Action'>} action @param {boolean} [again] */
  async #act(action, again = false) {
    const before = waiting(this.view);
    this.stage.settle();
    this.busy = true;
    let missed = false;
    try {
      const answer = await submit(this.view.id, this.view.version, action);
      if (answer.match) this.#take(answer.match, answer.reports, true);
      missed = this.heard > this.view.version;
      void this.#goOn().catch(() => {});
    } catch (failure) {
      this.busy = false;
      if (!(failure instanceof Problem) || failure.status !== 409) throw failure;
      await this.refresh();
      // Something else changed meanwhile, but the decision is the same: the action can be sent again.
      if (again || waiting(this.view) !== before) throw failure;
      await this.#act(action, true);
    } finally {
      this.busy = false;
      if (missed) void this.refresh().catch(() => {});
    }
  }

  /** The highest number in events during an action. */
  heard = 0;

  /** @type {Promise<void> | null} */
  #refreshing = null;

  /** The number of refresh requests. */
  #wanted = 0;

  refresh() {
    this.#wanted++;
    this.#refreshing ??= this.#catchUp();
    return this.#refreshing;
  }

  /** Repeats if something happened meanwhile: the answer can be older. */
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

  /** Applies a later view, with the reports between. When the service was set back in time, the page is drawn again.
   * @param {Schema<'Match'>} view */
  async #follow(view) {
    // The end changes the organizers' tools.
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

  /** @param {Schema<'Match'>} view @param {Schema<'Report'>[]} reports
   * @param {boolean} [own] they answer an action of this page */
  #take(view, reports, own = false) {
    if (view.version < this.view.version) return;
    const news = reports.filter(({ number }) => number > (this.reports.at(-1)?.number ?? 0));
    const before = this.view;
    this.view = inWords(view, this.card);
    this.reports.push(...news);
    if (before.version !== view.version) this.looked = '';
    this.#play(news, before.seas);
    this.draw();
    const ended = !!view.result && !before.result;
    if (ended) this.#close();
    else if (waiting(view) && !waiting(before)) sound('turn', news.some((report) => shotsOf(report).length) ? 1.6 : 0);
    if (!own && view.decisions.some((one) => one.required) && before.version !== view.version) {
      document.title = `● ${t('your-turn')}`;
    }
    this.#remember();
  }

  /** @param {Schema<'Report'>[]} news @param {Schema<'SeaView'>[]} before @returns {Promise<void>} */
  async #play(news, before) {
    const said = new Map(news.filter(readable).map((report) => [report, sentence(report, this.view, this.card)]));
    this.fresh.clear();
    for (const [sea, cell] of news.flatMap((report) => cellsTold(report, this.view))) {
      this.fresh.set(sea, (this.fresh.get(sea) ?? new Set()).add(cell));
    }
    const acts = news.flatMap((report) => {
      const found = actsOf(report, this.view);
      const text = said.get(report);
      if (found[0] && text) said.delete(report);
      return found.map((act, i) => ({ ...act, said: i ? undefined : text }));
    });
    if (said.size) announce([...said.values()].slice(-4).join(' '));
    await this.stage.show(acts, before);
  }

  /** The match ended while open. */
  #close() {
    const { result, viewer } = this.view;
    if (typeof viewer.seat === 'number' && typeof result?.winner === 'number')
      sound(result.winner === viewer.seat ? 'won' : 'lost', 1);
    scrollTo({ top: 0 });
  }

  /** Stores the last seen version of this match. */
  #remember() {
    if (typeof this.view.viewer.seat !== 'number') return;
    const { [this.view.id]: _, ...others } = recall('seen') ?? {};
    remember('seen', Object.fromEntries([...Object.entries(others), [this.view.id, this.view.version]].slice(-KEPT)));
  }

  /** Reports since the reader's last visit. */
  async #away() {
    const seen = recall('seen')?.[this.view.id];
    this.#remember();
    if (typeof seen !== 'number' || typeof this.view.viewer.seat !== 'number') return;
    const missed = this.reports.filter(({ number }) => number > seen).filter((one) => shotsOf(one).length);
    if (!missed.some((report) => seatOf(report) !== this.view.viewer.seat) || this.view.result) return;
    const latest = missed.slice(-MISSED);
    const told = new Set(latest.flatMap((one) => cellsTold(one, this.view)).map(([sea, cell]) => `${sea} ${cell}`));
    const before = this.view.seas.map((sea) => ({
      ...sea,
      marks: sea.marks.filter(({ cell }) => !told.has(`${sea.id} ${cell}`)),
    }));
    const title = h('b', {}, t('away'));
    this.news.prepend(title);
    this.news.classList.add('away');
    await this.#play(latest, before);
    this.news.classList.remove('away');
    title.remove();
  }

  /** @param {Schema<'Report'>[]} reports */
  start(reports) {
    this.reports = reports;
    this.draw();
    void this.#away().catch(() => {});
    void this.#explainContest().catch(() => {});
    void this.#askRematch().catch(() => {});
    if (!me()) void this.#watch();
  }

  /** Shows the stakes, the deadline and the organizers' tools. */
  async #explainContest() {
    if (!this.view.pairing) return;
    const [{ judging }, { playedFor, playedForLine }] = await Promise.all([
      import('../match/judge.js'),
      import('../played-for.js'),
    ]);
    const found = await playedFor(this.signal)(this.view.pairing, this.view.id);
    if (!found) return;
    fill(this.playedFor, playedForLine(found, !!this.view.result));
    this.clock.roundUntil(found.dueAt);
    fill(this.judge, await judging(this.view, found, this.signal));
  }

  /** Without a token: polls for news. */
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
    this.#header();
    this.panel.set(this.#table());
    this.clock.set(view);
    this.orders?.set(this.#table());
    this.stressed = this.lesson?.update(view) ?? [];
    if (view.result && this.reports.length && !this.end.hasChildNodes()) this.#result();
    this.#paint();
    this.#explain();
    const lines = this.reports.filter(readable).slice(-LINES).reverse();
    fill(
      this.log,
      lines.map((report) => {
        const kind = bestMark(report);
        return h('li', { value: report.number }, kind && markIcon({ kind }), sentence(report, view, card));
      }),
    );
    const latest = lines.filter((report) => shotsOf(report).length).slice(0, 2);
    fill(this.news, latest.map((report) => h('span', {}, sentence(report, view, card))).reverse());
  }

  /** The legend of marks, and the shot statistics. */
  #explain() {
    const { view } = this;
    const kinds = new Set(view.seas.flatMap((sea) => sea.marks).map(({ kind }) => kind));
    fill(
      this.legend,
      ['unknown', ...kinds].map((kind) => h('li', {}, markIcon({ kind }), word('mark', kind))),
    );
    const { shots, hits } = firing(this.reports, view, view.viewer.seat ?? -1);
    const rows = [
      [t('shots'), shots],
      [t('hits-made'), hits],
      [t('accuracy'), shots ? `${Math.round((100 * hits) / shots)} %` : '–'],
    ];
    fill(
      this.tally,
      typeof view.viewer.seat === 'number' &&
        h(
          'dl',
          {},
          rows.map(([title, value]) => h('div', {}, h('dt', {}, title), h('dd', {}, value))),
        ),
    );
  }

  #paint() {
    const { plan } = this.panel;
    const choices = this.panel.choices();
    const first = this.looked || plan?.sea;
    if (first) this.boards.first(first);
    const paint = (/** @type {string} */ sea) => {
      const painted = choices.paint(sea);
      if (sea === choices.active)
        for (const cell of this.stressed)
          if (painted.get(cell)?.state === 'open') painted.set(cell, { state: 'open', text: '?' });
      return painted;
    };
    const fresh = (/** @type {string} */ sea) => this.fresh.get(sea) ?? new Set();
    this.boards.show(this.stage.seen(this.view), { ...choices, paint }, fresh, this.#salvos());
  }

  /** Numbers of salvos with a joint answer, on their cells. */
  #salvos() {
    /** @type {Map<string, Map<string, string>>} */
    const numbers = new Map();
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const report of this.reports) {
      const { shots } = /** @type {AnyOf<Schema<'Report'>>} */ (report);
      if (!shots || 'seas' in report) continue;
      const count = (counts.get(seatOf(report)) ?? 0) + 1;
      counts.set(seatOf(report), count);
      if (shots.length < 2 || shots.some(({ answer }) => answer !== null)) continue;
      for (const [sea, cell] of cellsTold(report, this.view))
        numbers.set(sea, (numbers.get(sea) ?? new Map()).set(cell, String(count)));
    }
    return numbers;
  }

  #header() {
    const { view } = this;
    const own = (/** @type {Schema<'MatchSeat'>} */ seat) => seat.seat === view.viewer.seat;
    const seats = [...view.seats].sort((a, b) => Number(own(a)) - Number(own(b)));
    fill(
      this.seats,
      seats.map((seat) => {
        const acts = view.to_act.includes(seat.seat);
        const kind = ['seat', acts && 'acts', seat.status === 'out' && 'out', own(seat) && 'self'];
        return h(
          'li',
          { class: kind.filter(Boolean).join(' ') },
          h('span', { class: 'whom' }, playerLink(seat.player), seat.rating ? h('small', {}, ` ${seat.rating}`) : null),
          acts && view.deadline ? countdown(view.deadline, this.signal) : null,
          seat.place ? h('small', {}, ` ${t('nth', { place: seat.place })}`) : null,
        );
      }),
    );
    const turns = this.reports.filter((report) => 'next' in report).length;
    const terms = [
      view.status === 'playing' ? turns > 0 && t('move-number', { count: turns + 1 }) : word('status', view.status),
      view.round && t('round-of', view.round),
      view.rated ? t('rated') : t('unrated'),
      clockText(view.clock),
    ];
    this.meta.textContent = terms.filter(Boolean).join(' · ');
  }

  #result() {
    const { view } = this;
    const plays = typeof view.viewer.seat === 'number';
    const rematch = async () => {
      const challenge = await api.post(`/v1/matches/${view.id}/rematch`);
      go(challenge.match_id ? `/match/${challenge.match_id}` : `/challenge/${challenge.id}`);
    };
    const ways = {
      rematch: view.seats.length === 2 && plays ? rematch : null,
      next: me() ? () => this.#next() : null,
      asked: this.rematch,
    };
    this.element.classList.add('ended');
    // A new scene: elements are inserted again, so they don't seem to move.
    if (!this.element.contains(document.activeElement)) this.element.replaceChildren(...this.element.children);
    fill(this.end, banner(view, this.card, ways));
    this.element.querySelector('.side')?.prepend(figures(view, this.reports, this.signal));
  }
}

/** The most important mark of a report. @param {Schema<'Report'>} report */
function bestMark(report) {
  const shots = shotsOf(report);
  if (!shots.length) return null;
  return shots.some(({ sunk }) => sunk) ? 'sunk' : shots.some(({ hit }) => hit) ? 'hit' : 'miss';
}

/** The epoch of report numbers. @param {Schema<'Match'>} view */
function epochOf(view) {
  return view.reports_cursor.split('-')[0];
}

/** The pending decisions, for comparison. @param {Schema<'Match'>} view */
function waiting(view) {
  return view.decisions
    .filter((one) => one.required)
    .map(choiceOf)
    .join();
}

/** @type {import('../router.js').Maker} */
export async function matchPage({ params, signal }) {
  // The list of turns is still shown when a turn is chosen.
  if (document.querySelector('#main [data-match]')) inList = !!document.querySelector(`[data-match="${params.id}"]`);
  const path = /** @type {const} */ (`/v1/matches/${params.id}`);
  const match = api.get(path, {}, signal);
  const [view, board, card, reports] = await Promise.all([
    match,
    once(`${path}/board`),
    match.then(cardOf),
    match.then(() => allReports(params.id, signal)),
    styled(),
  ]);
  const page = new MatchPage(view, board, card, signal);
  page.start(reports);
  return { title: card.title ?? view.variant, body: page.element };
}
