/** Reports in words, by the shape of their fields. */

import { moment, words } from '../format.js';
import { language, t } from '../i18n/index.js';
import { seaTitle } from './boards.js';
import { cellsTold, readable, seatOf } from './told.js';
import { fieldTitle, valueTitle, vocabulary } from './vocabulary.js';

export { cellsTold, readable, seatOf };

/** Fields without information for a reader. */
const SILENT = new Set([
  'type',
  'number',
  'at',
  'seat',
  'next',
  'commitment',
  'salt',
  'rests',
  'from',
  'until',
  'draw',
  'drawn',
  'round',
]);

/** The most characters in a line of the log. */
const LONG = 240;

/** @typedef {import('../titles.js').Card} Card */

/** Names of values. @param {Schema<'Match'>} view @param {Card} card */
function namer(view, card) {
  const known = vocabulary(card);
  const ships = new Map(view.seas.flatMap((sea) => sea.ships.map(({ id, name }) => [id, name])));
  const seat = (/** @type {number} */ number) =>
    view.seats.find((one) => one.seat === number)?.player.username ?? t('nobody');
  const sea = (/** @type {string} */ id) => {
    const found = view.seas.find((one) => one.id === id);
    return found ? seaTitle(view, found) : words(id);
  };
  /** @type {Record<string, (value: any) => string>} */
  const names = {
    seat,
    sea,
    ship: (id) => known.ships.get(id) ?? ships.get(id) ?? words(id),
    class: (id) => known.classes.get(id) ?? words(id),
    supply: (id) => known.supplies.get(id) ?? words(id),
    line: words,
    time: moment,
    cell: String,
  };
  const title = (/** @type {string} */ key) => fieldTitle(card, key);
  return { names, seat, title, card, known, viewer: view.viewer.seat ?? -1 };
}

/** @param {string[]} cells */
function stretch(cells) {
  return cells.length > 4 ? `${cells[0]}–${cells.at(-1)}` : cells.join(' ');
}

/** @param {string} key @param {any} value @param {ReturnType<typeof namer>} by @returns {string} */
function say(key, value, by) {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return by.title(key);
  if (Array.isArray(value)) return sayList(key, value, by);
  if (typeof value === 'object') return sayObject(value, by);
  const field = by.known.fields.get(key);
  if (field?.names === 'seat') return `${field.title} ${by.seat(value)}`;
  if (field?.names) return by.names[field.names]?.(value) ?? String(value);
  if (typeof value === 'number') return `${by.title(key)} ${value}`;
  return field ? valueTitle(by.card, key, value) : String(value);
}

/** @param {string} key @param {any[]} value @param {ReturnType<typeof namer>} by @returns {string} */
function sayList(key, value, by) {
  if (!value.length) return '';
  const names = by.known.fields.get(key)?.names;
  if (names === 'seat' && value.every((one) => typeof one === 'number'))
    return `${by.title(key)} ${value.map(by.seat).join(', ')}`;
  if (value.every((one) => typeof one === 'string')) return names === 'cell' ? stretch(value) : sayEach(key, value, by);
  if (value.every((one) => typeof one?.name === 'string')) return ''; // who sits where
  if (key === 'places') return value.map((one) => `${one.place}. ${by.seat(one.seat)}`).join(', ');
  const said = value.map((one) => say(key, one, by)).filter(Boolean);
  // Ships hit by a shot: the effect stands before them.
  const titled = value.every((one) => Object.keys(one).join() === 'seat,ship');
  return `${titled ? `${by.title(key)} ` : ''}${said.join('; ')}`;
}

/** @param {string} key @param {string[]} value @param {ReturnType<typeof namer>} by */
function sayEach(key, value, by) {
  return value.map((one) => say(key, one, by)).join(' ');
}

/** @param {any} value @param {ReturnType<typeof namer>} by */
function sayObject(value, by) {
  if (value.cell && 'answer' in value) {
    const { cell, answer, class: kind, clue } = /** @type {AnyOf<Schema<'ShotAnswer' | 'ChargedReport'>>} */ (value);
    return [cell, answer && valueTitle(by.card, 'answer', answer), clue, kind && `(${by.names.class(kind)})`]
      .filter((part) => part !== null && part !== undefined)
      .join(' ');
  }
  const said = Object.entries(value).filter(([key]) => !SILENT.has(key) && key !== 'order');
  return said
    .map(([key, one]) => say(key, one, by))
    .filter(Boolean)
    .join(' ');
}

/** @param {string} type @param {Card} card */
export function titleOf(type, card) {
  return vocabulary(card).types.get(type) ?? words(type);
}

/** @param {Schema<'Action'>} action @param {Schema<'Match'>} view @param {Card} card */
export function actionText(action, view, card) {
  const title = card.actions.find(({ action_type: type }) => type === action.type)?.title ?? words(action.type);
  return [title, sayObject(action, namer(view, card))].filter(Boolean).join(' ');
}

/** @param {Schema<'ReportPattern'>} pattern @param {Schema<'Match'>} view @param {Card} card */
export function patternText(pattern, view, card) {
  const { type, seat, ...rest } = /** @type {Record<string, any>} */ (pattern);
  const by = namer(view, card);
  const who = typeof seat === 'number' ? (seat === view.viewer.seat ? t('you') : by.seat(seat)) : '';
  const what = Object.entries(rest).map(([key, value]) => sayPattern(key, value, by));
  return [who, titleOf(String(type), card), ...what].filter(Boolean).join(' · ');
}

/** @param {string} key @param {any} value @param {ReturnType<typeof namer>} by @returns {string} */
function sayPattern(key, value, by) {
  if (value === false) return t('not-so', { what: by.title(key) });
  if (Array.isArray(value) && value.every((one) => one && typeof one === 'object')) {
    const inner = value.flatMap((one) => Object.entries(one).map(([name, field]) => sayPattern(name, field, by)));
    return inner.filter(Boolean).join(' ') || by.title(key);
  }
  return say(key, value, by);
}

/** The owner of a struck ship, before the ship's name. @param {string} ship @param {Schema<'SeaView'> | undefined} sea
 * @param {ReturnType<typeof namer>} by */
function whose(ship, sea, by) {
  const owners = sea?.owners ?? (typeof sea?.owner === 'number' ? [sea.owner] : []);
  if (owners.includes(by.viewer)) return t('your-ship', { ship });
  return owners.length === 1 ? t('ship-of', { ship, name: by.seat(owners[0]) }) : ship;
}

/** The effect of shots, in words after "fired at B7 and". @param {any} shot @param {boolean} own
 * @param {Schema<'SeaView'> | undefined} sea @param {ReturnType<typeof namer>} by */
function did({ answer, class: kind, clue }, own, sea, by) {
  const key = `did.${answer}${kind ? '-ship' : ''}`;
  const who = own ? 'you' : 'other';
  const ship = kind ? whose(by.names.class(kind), sea, by) : '';
  const said = t(`${key}.${who}`, { ship });
  const text = said === `${key}.${who}` ? valueTitle(by.card, 'answer', answer) : said;
  return typeof clue === 'number' ? `${text} (${by.title('clue')} ${clue})` : text;
}

/** Lists cells: "A1, B2 and C3". @param {string[]} all */
const listed = (all) => new Intl.ListFormat(language, { type: 'conjunction' }).format(all);

/** A salvo in a sentence; null: the report isn't a salvo, or has more to tell. @param {any} report
 * @param {Schema<'Match'>} view @param {ReturnType<typeof namer>} by */
function salvo(report, view, by) {
  const { shots, weapon, type, number, at, seat, ...rest } = report;
  if (!Array.isArray(shots) || !shots.length || seat === undefined) return null;
  const own = seat === by.viewer;
  const person = own ? 'you' : 'other';
  const id = cellsTold(report, view)[0]?.[0];
  const sea = view.seas.find((one) => one.id === id);
  const where = listed(shots.map(({ cell }) => cell));
  const name = by.seat(seat);
  const used = weapon ? t(`used.${person}`, { name, weapon: by.names.supply(weapon.weapon) }) : '';
  const rests = sayObject({ ...rest, target: undefined, out: rest.out?.length ? rest.out : undefined }, by);
  const more = rests ? ` ${rests}.` : '';
  const begin = used ? `${used} ` : '';
  const told = shots.filter(({ answer }) => answer !== null);
  if (!told.length) return `${begin}${t(`shot-plain.${person}`, { name, where })}${more}`;
  const first = did(shots[0], own, sea, by);
  if (shots.every((shot) => did(shot, own, sea, by) === first))
    return `${begin}${t(`shot.${person}`, { name, where, did: first })}${more}`;
  const each = shots.map((shot) => t('shot-each', { cell: shot.cell, did: did(shot, own, sea, by) }));
  return `${begin}${t(`shots.${person}`, { name, each: each.join('; ') })}${more}`;
}

/** @param {Schema<'Report'>} report @param {Schema<'Match'>} view @param {Card} card */
export function sentence(report, view, card) {
  const by = namer(view, card);
  const fired = salvo(report, view, by);
  if (fired) return fired;
  const seat = seatOf(report);
  const text = sayObject(report, by);
  // Long texts are left to the boards, which say it at a glance.
  const short = text.length > LONG ? '' : text;
  const title = titleOf(report.type, card);
  const who = seat < 0 ? '' : seat === by.viewer ? t('you') : by.seat(seat);
  return `${who ? t('told-of', { who, what: title }) : title}${short ? ` – ${short}` : ''}.`;
}
