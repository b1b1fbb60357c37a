/** Apps registered by the account: users then see a name and an owner. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { action, form, labelled } from '../ui.js';
import { boxes, chosen, part } from './account-parts.js';

/** @type {Schema<'Scope'>[]} */
const SCOPES = [
  'account:read',
  'account:write',
  'lobby:read',
  'lobby:write',
  'matches:read',
  'matches:play',
  'webhooks:read',
  'webhooks:write',
];

/** @param {Schema<'RegisteredApp'>} [app] */
function fields(app) {
  return [
    labelled(
      t('own-app-name'),
      h('input', { name: 'name', required: true, minlength: 3, maxlength: 40, value: app?.name ?? '' }),
    ),
    labelled(
      t('own-app-homepage'),
      h('input', { name: 'homepage', type: 'url', required: true, maxlength: 200, value: app?.homepage ?? '' }),
      t('own-app-homepage-help'),
    ),
    labelled(
      t('own-app-description'),
      h('input', { name: 'description', maxlength: 500, value: app?.description ?? '' }),
    ),
    labelled(
      t('own-app-addresses'),
      h('textarea', {
        name: 'redirect_uris',
        required: true,
        rows: 3,
        spellcheck: 'false',
        value: app?.redirect_uris.join('\n') ?? '',
      }),
      t('own-app-addresses-help'),
    ),
    h(
      'fieldset',
      {},
      h('legend', {}, t('own-app-scopes')),
      boxes('scope', SCOPES, app?.scopes ?? ['matches:read'], (one) => t(`scope.${one}`)),
    ),
  ];
}

/** @param {Record<string, string>} values */
function typed(values) {
  return {
    name: values.name ?? '',
    homepage: values.homepage ?? '',
    description: values.description ?? '',
    redirect_uris: (values.redirect_uris ?? '').split(/\s+/).filter((one) => one !== ''),
    scopes: chosen(values, 'scope', SCOPES),
  };
}

/** @param {Schema<'RegisteredApp'>} app */
function one(app) {
  const path = /** @type {const} */ (`/v1/account/registered-apps/${app.id}`);
  const change = async (/** @type {Record<string, string>} */ values) => {
    await api.patch(path, typed(values));
    visit();
  };
  const remove = async () => {
    if (!confirm(t('own-app-delete-sure', { name: app.name }))) return;
    await api.delete(path);
    visit();
  };
  return h(
    'li',
    {},
    h('b', {}, app.name),
    ' ',
    h('code', {}, app.client_id),
    app.suspended_at && h('p', { class: 'refusal' }, t('own-app-suspended', { since: moment(app.suspended_at) })),
    h(
      'details',
      { class: 'fold' },
      h('summary', {}, t('own-app-change')),
      form({ submit: t('save'), onSubmit: change }, ...fields(app)),
      action(t('own-app-delete'), remove),
    ),
  );
}

/** @param {Schema<'RegisteredApp'>[]} apps */
export function registering(apps) {
  const register = async (/** @type {Record<string, string>} */ values) => {
    await api.post('/v1/account/registered-apps', typed(values));
    visit();
  };
  return part(
    t('own-apps'),
    h('p', {}, t('own-apps-more')),
    apps.length > 0 && h('ul', {}, apps.map(one)),
    h(
      'details',
      { class: 'fold' },
      h('summary', {}, t('own-app-register')),
      form({ submit: t('own-app-register'), onSubmit: register }, ...fields()),
    ),
  );
}
