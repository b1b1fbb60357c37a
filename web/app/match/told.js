/** The reports of a match, with the seat and cells of each, by the shape of its fields. */

import { api } from '../api.js';

/** @param {string} id @param {AbortSignal} signal */
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

/** True if a report has anything to read. @param {Schema<'Report'>} report */
export function readable(report) {
  return !('commitment' in report) && !('rests' in report);
}

/** The seat of a report; -1: none. @param {Schema<'Report'>} report */
export function seatOf(report) {
  return 'seat' in report ? (report.seat ?? -1) : -1;
}

/** The cells of a report, by sea. @param {Schema<'Report'>} report @param {Schema<'Match'>} view
 * @returns {[string, string][]} sea and cell */
export function cellsTold(report, view) {
  const other = view.seas.length === 1 ? view.seas[0] : view.seas.find((sea) => sea.owner !== seatOf(report));
  const named = view.seas.find((sea) => 'target' in report && sea.id === report.target);
  const sea = (named ?? other)?.id ?? '';
  /** @type {[string, string][]} */
  const told = [];
  const walk = (/** @type {any} */ value) => {
    if (!value || typeof value !== 'object') return;
    if (typeof value.cell === 'string') told.push([sea, value.cell]);
    for (const [key, one] of Object.entries(value)) {
      if (['cells', 'path', 'occupied'].includes(key) && Array.isArray(one))
        told.push(...one.map((cell) => /** @type {[string, string]} */ ([sea, cell])));
      else if (key !== 'ships') walk(one);
    }
  };
  if (sea && !('seas' in report)) walk(report);
  return told;
}
