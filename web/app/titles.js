/** What variants are called. */

import { once } from './api.js';

/** The variants of the service. @returns {Promise<any[]>} */
export async function variants() {
  return (await once('/v1/variants', { limit: 100 })).items;
}

/** Titles of variants by their ids. @returns {Promise<Map<string, string>>} */
export async function titles() {
  return new Map((await variants()).map(({ id, title }) => [id, title]));
}
