/** What variants are called, and their cards. */

import { once } from './api.js';

/** @typedef {Schema<'Variant'> | Schema<'NamedRuleSet'>} Card */

/** The variants of the service. */
export async function variants() {
  return (await once('/v1/variants', { limit: 100 })).items;
}

/** Titles of variants by their ids. @returns {Promise<Map<string, string>>} */
export async function titles() {
  return new Map((await variants()).map(({ id, title }) => [id, title]));
}

/** The card that a match or a challenge is played by.
 * @param {{ variant: string, named_rule_set: string | null }} view @returns {Promise<Card>} */
export function cardOf(view) {
  return view.named_rule_set ? once(`/v1/rule-sets/${view.named_rule_set}`) : once(`/v1/variants/${view.variant}`);
}
