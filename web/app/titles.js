/** What variants are called, and their cards. */

import { once } from './api.js';
import { t } from './i18n/index.js';

/** @typedef {Schema<'Variant'> | Schema<'NamedRuleSet'>} Card */

/** The variants of the service. */
export async function variants() {
  return (await once('/v1/variants', { limit: 100 })).items;
}

/** Titles of variants by their ids. @returns {Promise<Map<string, string>>} */
export async function titles() {
  return new Map((await variants()).map(({ id, title }) => [id, title]));
}

/** What pools of ratings are called, by their ids. @returns {Promise<Map<string, string>>} */
export async function poolTitles() {
  const [pools, names] = await Promise.all([once('/v1/pools'), titles()]);
  const title = (/** @type {Schema<'Pool'>} */ { variant, speed, more_than_two_seats: many }) =>
    `${names.get(variant) ?? variant}, ${t(`speed.${speed}`)}${many ? t('pool-more', { count: 3 }) : ''}`;
  return new Map(pools.items.map((pool) => [pool.id, title(pool)]));
}

/** The card that a match or a challenge is played by.
 * @param {{ variant: string, named_rule_set: string | null }} view @returns {Promise<Card>} */
export function cardOf(view) {
  return view.named_rule_set ? once(`/v1/rule-sets/${view.named_rule_set}`) : once(`/v1/variants/${view.variant}`);
}
