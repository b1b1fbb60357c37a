/** Parts of an account missing on pages from another server, which are an app: they are set at the service. */

import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { server } from '../oauth.js';
import { part } from './account-parts.js';

/** Link to the place for passwords, sessions, apps and all else that an app can't touch. */
export async function awayPart() {
  const { issuer, account_management_uri } = await server();
  return part(
    t('account-away'),
    h('p', {}, t('account-away-more')),
    h('p', {}, h('a', { href: account_management_uri, class: 'button' }, t('account-away-link', { address: issuer }))),
  );
}

/** A guest can't choose a password here: it would be typed on another server's page. */
export function keepAway() {
  return part(t('keep-account'), h('p', {}, t('keep-account-away')));
}
