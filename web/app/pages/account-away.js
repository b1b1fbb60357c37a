/** What of an account is not shown where these pages are an app of another server: it is set at the service itself. */

import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { server } from '../oauth.js';
import { part } from './account-parts.js';

/** Where passwords, sessions, programs and all else are that an app can't touch. */
export async function awayPart() {
  const { issuer, account_management_uri } = await server();
  return part(
    t('account-away'),
    h('p', {}, t('account-away-more')),
    h('p', {}, h('a', { href: account_management_uri, class: 'button' }, t('account-away-link', { address: issuer }))),
  );
}

/** A guest can't choose a password here: it would be typed on a page of another server. */
export function keepAway() {
  return part(t('keep-account'), h('p', {}, t('keep-account-away')));
}
