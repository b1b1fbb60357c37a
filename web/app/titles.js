/** Titles and cards of variants. */

import { once } from './api.js';
import { t } from './i18n/index.js';

/** @typedef {Schema<'Variant'> | Schema<'NamedRuleSet'>} Card */

export async function variants() {
  return (await once('/v1/variants', { limit: 100 })).items;
}

/** Titles of variants by id. @returns {Promise<Map<string, string>>} */
export async function titles() {
  return new Map((await variants()).map(({ id, title }) => [id, title]));
}

/** Titles of rating pools by id. @returns {Promise<Map<string, string>>} */
export async function poolTitles() {
  const [pools, names] = await Promise.all([once('/v1/pools'), titles()]);
  const title = (/** @type {Schema<'Pool'>} */ { variant, speed, more_than_two_seats: many }) =>
    `${names.get(variant) ?? variant}, ${t(`speed.${speed}`)}${many ? t('pool-more', { count: 3 }) : ''}`;
  return new Map(pools.items.map((pool) => [pool.id, title(pool)]));
}

/** @param {{ variant: string, named_rule_set: string | null }} view @returns {Promise<Card>} */
export function cardOf(view) {
  return view.named_rule_set ? once(`/v1/rule-sets/${view.named_rule_set}`) : once(`/v1/variants/${view.variant}`);
}
