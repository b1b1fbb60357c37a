/** Profile and name of an account. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { language, t } from '../i18n/index.js';
import { go } from '../router.js';
import { renew } from '../session.js';
import { form, labelled, select } from '../ui.js';
import { part } from './account-parts.js';

/** A country's name in the reader's language. @param {string} code ISO 3166-1 */
export function country(code) {
  return new Intl.DisplayNames([language], { type: 'region', fallback: 'code' }).of(code) ?? code;
}

/** @param {Schema<'Account'>} account */
export function profiling(account) {
  const said = h('p', { class: 'good', role: 'status' });
  const save = async (/** @type {Record<string, string>} */ values) => {
    await api.patch('/v1/account', {
      bio: values.bio?.trim() ?? '',
      country: values.country?.trim().toUpperCase() ?? '',
      club: values.club?.trim() ?? '',
      shows_time_zone: 'shows_time_zone' in values,
    });
    said.textContent = t('saved');
  };
  return part(
    t('about-me'),
    h('p', {}, t('about-me-more')),
    form(
      { submit: t('save'), onSubmit: save },
      labelled(t('bio'), h('input', { name: 'bio', maxlength: 200, value: account.bio ?? '' })),
      labelled(
        t('country'),
        h('input', { name: 'country', maxlength: 2, pattern: '[A-Za-z]{2}', value: account.country ?? '' }),
        account.country ? `${country(account.country)}. ${t('country-help')}` : t('country-help'),
      ),
      labelled(t('club'), h('input', { name: 'club', maxlength: 60, value: account.club ?? '' })),
      labelled(
        t('shows-time-zone'),
        h('input', { type: 'checkbox', name: 'shows_time_zone', checked: account.shows_time_zone }),
      ),
      said,
    ),
  );
}

/** The choice of accepted challenges. @param {Schema<'Account'>} account */
export function challenging(account) {
  const said = h('p', { class: 'good', role: 'status' });
  const save = async (/** @type {Record<string, string>} */ values) => {
    const whose = /** @type {Schema<'ChallengesFrom'>} */ (values.challenges_from);
    await api.patch('/v1/account', { challenges_from: whose });
    said.textContent = t('saved');
  };
  const options = ['everybody', 'accounts', 'played', 'nobody'].map(
    (whose) => /** @type {[string, string]} */ ([whose, t(`challenges-from.${whose}`)]),
  );
  return part(
    t('challenges-from'),
    h('p', {}, t('challenges-from-more')),
    form(
      { submit: t('save'), onSubmit: save },
      labelled(t('challenges-from'), select('challenges_from', options, account.challenges_from)),
      said,
    ),
  );
}

/** @param {Schema<'Account'>} account */
export function naming(account) {
  const change = async (/** @type {Record<string, string>} */ values) => {
    await api.put('/v1/account/username', { username: values.username, current_password: values.current });
    await renew(); // what is kept of the account has the name
    go('/account', true);
  };
  return part(
    t('change-name'),
    h('p', {}, t('change-name-more')),
    form(
      { submit: t('change-name'), onSubmit: change },
      labelled(
        t('name'),
        h('input', { name: 'username', required: true, maxlength: 24, value: account.username, spellcheck: 'false' }),
      ),
      labelled(
        t('password-now'),
        h('input', { type: 'password', name: 'current', required: true, autocomplete: 'current-password' }),
      ),
    ),
  );
}

/** The profile as lines of text. @param {Schema<'Profile'>} profile */
export function sayings(profile) {
  const facts = [
    profile.country && country(profile.country),
    profile.club,
    profile.time_zone && t('zone-is', { zone: profile.time_zone.replaceAll('_', ' ') }),
  ].filter(Boolean);
  return [
    profile.bio ? h('p', { class: 'bio' }, profile.bio) : null,
    facts.length > 0 ? h('p', { class: 'meta' }, facts.join(' · ')) : null,
  ];
}
