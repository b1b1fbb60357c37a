/** Tie-breaks in the standings of a tournament, as far as they decide. */

import { score, word } from '../format.js';

/** @typedef {Schema<'TournamentStanding'>} Line */

/** Parts of a point in the average of opponents at tables. */
const AVERAGE_PARTS = 7200;

/** @type {Record<string, (line: Line) => number | null | undefined>} */
const VALUES = {
  'direct-encounter': (line) => line.tie_breaks.direct_encounter,
  buchholz: (line) => line.tie_breaks.buchholz,
  'buchholz-cut-1': (line) => line.tie_breaks.buchholz_cut_1,
  'sonneborn-berger': (line) => line.tie_breaks.sonneborn_berger,
  wins: (line) => line.tie_breaks.wins,
  'opponents-average': (line) => line.at_tables && line.at_tables.opponents_average_7200ths / AVERAGE_PARTS,
  'first-places': (line) => line.at_tables?.first_places,
  'head-to-head': (line) => line.at_tables?.head_to_head,
};

/** The tie-breaks in order: title, and value in a line. @param {Schema<'Tournament'>} one
 * @param {Line[]} lines by rank */
export function tieBreaks(one, lines) {
  // In groups they decide within each group, and groups have tables of their own.
  const names = one.groups ? [] : one.tie_breaks.filter((name) => VALUES[name]);
  let deciding = 0;
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    if (!next || line.points !== next.points || line.rank === next.rank) continue;
    deciding = Math.max(deciding, 1 + names.findIndex((name) => VALUES[name]?.(line) !== VALUES[name]?.(next)));
  }
  return names
    .slice(0, deciding)
    .map((name) => ({ title: word('tie', name), of: (/** @type {Line} */ line) => score(VALUES[name]?.(line)) }));
}
