/** The passkeys of an account: keys of phones, computers and security keys that sign in without a password. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { form, labelled } from '../ui.js';
import { part } from './account-parts.js';

/** @param {string} text base64url */
const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

/** @param {ArrayBuffer} buffer */
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Whether the browser can have passkeys for this site: not by an IP address, nor in the clear. */
const canHave = () => 'PublicKeyCredential' in window && isSecureContext && !/^[\d.]+$|^\[/.test(location.hostname);

/** Lets the browser make a passkey. @param {Schema<'PasskeyCreationOptions'>} options */
async function made(options) {
  const excludeCredentials = options.excludeCredentials.map((one) => ({
    type: /** @type {const} */ ('public-key'),
    id: bytes(one.id),
  }));
  const found = await navigator.credentials.create({
    publicKey: /** @type {PublicKeyCredentialCreationOptions} */ ({
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials,
    }),
  });
  const key = /** @type {PublicKeyCredential} */ (found);
  const response = /** @type {AuthenticatorAttestationResponse} */ (key.response);
  return {
    id: key.id,
    rawId: text(key.rawId),
    type: key.type,
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
    clientExtensionResults: {},
  };
}

const password = () =>
  labelled(
    t('password-now'),
    h('input', { type: 'password', name: 'current_password', required: true, autocomplete: 'current-password' }),
  );

/** @param {string} value */
const name = (value) =>
  labelled(t('passkey-name'), h('input', { name: 'name', required: true, maxlength: 60, value, autocomplete: 'off' }));

/** @param {Schema<'Passkey'>} passkey */
function one(passkey) {
  const rename = async (/** @type {Record<string, string>} */ values) => {
    await api.patch(`/v1/account/passkeys/${passkey.id}`, { name: values.name });
    visit();
  };
  const remove = async (/** @type {Record<string, string>} */ values) => {
    await api.delete(`/v1/account/passkeys/${passkey.id}`, { current_password: values.current_password });
    visit();
  };
  const used = passkey.last_used_at ? t('passkey-used', { when: moment(passkey.last_used_at) }) : t('passkey-unused');
  return h(
    'li',
    {},
    h('b', {}, passkey.name),
    ` · ${used} `,
    passkey.cloned_at && h('b', {}, t('passkey-cloned')),
    h(
      'details',
      { class: 'fold' },
      h('summary', {}, t('passkey-change', { name: passkey.name })),
      form({ submit: t('passkey-rename'), onSubmit: rename }, name(passkey.name)),
      form({ submit: t('passkey-remove'), onSubmit: remove }, password()),
    ),
  );
}

/** @param {Schema<'Passkey'>[]} passkeys @param {boolean} asksForCode whether the account has a second factor */
export function opening(passkeys, asksForCode) {
  const said = h('div', { role: 'status' });
  const add = async (/** @type {Record<string, string>} */ values) => {
    fill(said);
    const { current_password, code } = values;
    const asked = await api.post('/v1/account/passkeys/challenges', { current_password, ...(code && { code }) });
    let credential;
    try {
      credential = await made(asked.options);
    } catch {
      // Its user didn't want to, or has one for this account already.
      fill(said, h('p', {}, t('passkey-none')));
      return;
    }
    await api.post('/v1/account/passkeys', { challenge: asked.challenge, credential, name: values.name });
    visit();
  };
  const code = () =>
    labelled(
      t('code'),
      h('input', { name: 'code', required: true, autocomplete: 'one-time-code', spellcheck: 'false' }),
      t('code-help'),
    );
  return part(
    t('passkeys'),
    h('p', {}, canHave() ? t('passkeys-more') : t('passkeys-not-here')),
    h('ul', {}, passkeys.map(one)),
    canHave() &&
      h(
        'details',
        { class: 'fold' },
        h('summary', {}, t('passkey-add')),
        form({ submit: t('passkey-add'), onSubmit: add }, name(''), password(), asksForCode && code()),
      ),
    said,
  );
}
