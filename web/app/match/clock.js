/** The source of a match's deadlines: running and resting times of its clocks. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment, span, word } from '../format.js';
import { language, t } from '../i18n/index.js';
import { problemBox } from '../ui.js';

/** The number of listed periods. */
const LISTED = 8;

const short = new Intl.DateTimeFormat(language, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** @param {string} time */
const when = (time) => short.format(new Date(time));

/** A match clock that can unfold. */
export class ClockFold {
  /** @param {Schema<'Match'>} view @param {AbortSignal} signal */
  constructor(view, signal) {
    this.view = view;
    this.signal = signal;
    /** @type {Schema<'MatchClock'> | null} */
    this.clock = null;
    /** Lead of the service's time over the browser's, in milliseconds. */
    this.ahead = 0;
    this.asked = '';
    /** @type {string | null} deadline of its tournament round */
    this.due = null;
    this.now = h('span', { class: 'muted' });
    this.body = h('div');
    this.element = h('details', { class: 'fold clock' }, h('summary', {}, t('clock'), ' ', this.now), this.body);
    this.element.addEventListener('toggle', () => this.set(this.view));
    const timer = setInterval(() => this.#draw(), 20_000);
    signal.addEventListener('abort', () => clearInterval(timer));
  }

  /** @param {string | null} due deadline of its tournament round */
  roundUntil(due) {
    this.due = due;
    this.#draw();
  }

  /** @param {Schema<'Match'>} view */
  set(view) {
    this.view = view;
    this.element.hidden = !!view.result || view.status === 'finished' || view.status === 'aborted';
    if (this.element.hidden) return;
    const { clock } = view;
    const rests = 'rests' in clock && !!clock.rests && clock.rests !== 'none';
    // The countdown alone is enough for a clock that never rests.
    const state = `${view.version} ${view.deadline} ${view.status}`;
    if ((!this.element.open && !rests) || state === this.asked) return;
    // While others move, a clock that isn't open can be stale.
    const waits = typeof view.viewer.seat === 'number' && !view.to_act.includes(view.viewer.seat);
    if (this.clock && waits && !this.element.open) return;
    this.asked = state;
    void this.#load();
  }

  async #load() {
    try {
      this.clock = await api.get(`/v1/matches/${this.view.id}/clock`, {}, this.signal);
      this.ahead = Date.parse(this.clock.at) - Date.now();
      this.#draw();
    } catch (failure) {
      this.asked = '';
      if (!this.signal.aborted) fill(this.body, problemBox(failure));
    }
  }

  #draw() {
    const { clock } = this;
    if (!clock || this.element.hidden) return;
    const at = Date.now() + this.ahead;
    const on = clock.seats.filter(({ running }) => running);
    const states = on.map((seat) => stateOf(left(seat.segments, at))).filter(Boolean);
    this.now.textContent = states.length ? `· ${states[0]}` : '';
    fill(
      this.body,
      this.due && h('p', {}, t('round-until', { time: when(this.due) })),
      clock.armistice && h('p', {}, t('armistice-until', { time: when(clock.armistice.until) })),
      h(
        'ul',
        { class: 'clock-seats' },
        clock.seats.map((seat) => this.#seat(seat, at)),
      ),
    );
  }

  /** @param {Schema<'SeatTime'>} seat @param {number} at */
  #seat(seat, at) {
    const { player } = this.view.seats.find((one) => one.seat === seat.seat) ?? {};
    const spans = left(seat.segments.length ? seat.segments : (seat.prospect?.segments ?? []), at);
    const deadline = seat.deadline ?? seat.prospect?.deadline;
    const facts = [
      typeof seat.time_left_s === 'number' && t('time-left', { time: span(seat.time_left_s) }),
      typeof seat.time_left_if_moved_s === 'number' && t('time-if-moved', { time: span(seat.time_left_if_moved_s) }),
      deadline && t(seat.running ? 'time-until' : 'time-prospect', { time: moment(deadline) }),
      !deadline && typeof seat.time_left_s !== 'number' && t('clock-none'),
    ];
    return h(
      'li',
      {},
      h('b', {}, player?.username ?? t('nobody')),
      h('p', {}, facts.filter(Boolean).join(' ')),
      spans.length > 0 && [bar(spans), list(spans)],
      spans.length > 0 && seat.rests_known_until && seat.rests_known_until < spans[spans.length - 1].until
        ? h('p', { class: 'muted' }, t('rests-known', { time: when(seat.rests_known_until) }))
        : null,
    );
  }
}

/** The remaining periods, the first one from now on. @param {Schema<'ClockSegment'>[]} segments @param {number} at */
function left(segments, at) {
  const now = new Date(at).toISOString();
  return segments
    .filter(({ until }) => Date.parse(until) > at)
    .map((segment) => (Date.parse(segment.from) < at ? { ...segment, from: now } : segment));
}

/** @param {Schema<'ClockSegment'>[]} spans */
function stateOf([now]) {
  return now ? t('segment-until', { what: word('segment', now.kind), time: when(now.until) }) : '';
}

/** @param {Schema<'ClockSegment'>[]} spans */
function bar(spans) {
  const share = (/** @type {Schema<'ClockSegment'>} */ { from, until }) => Date.parse(until) - Date.parse(from);
  return h(
    'div',
    { class: 'clock-bar', 'aria-hidden': 'true' },
    spans.slice(0, 200).map((one) => {
      const part = h('span', { class: `segment ${one.kind === 'running' ? 'runs' : 'rests'}` });
      part.style.flexGrow = String(Math.max(1, Math.round(share(one) / 60_000)));
      return part;
    }),
  );
}

/** @param {Schema<'ClockSegment'>[]} spans */
function list(spans) {
  const more = spans.length - LISTED;
  return h(
    'ol',
    { class: 'segments' },
    spans.slice(0, LISTED).map((one) => h('li', { class: one.kind === 'running' ? 'runs' : 'rests' }, stateOf([one]))),
    more > 0 && h('li', { class: 'muted' }, t('segments-more', { count: more })),
  );
}
