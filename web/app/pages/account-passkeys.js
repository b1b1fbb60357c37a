/** The passkeys of an account: keys of phones, computers and security keys that sign in without a password. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { answered, canHave, made } from '../passkeys.js';
import { visit } from '../router.js';
import { form, labelled } from '../ui.js';
import { part } from './account-parts.js';

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

/** Has the browser make a passkey, and adds it. False: the user declined, or has one for this account.
 * @param {string} name @param {{ current_password?: string, code?: string }} proof */
async function add(name, proof) {
  const asked = await api.post('/v1/account/passkeys/challenges', proof);
  let credential;
  try {
    credential = await made(asked.options);
  } catch {
    return false;
  }
  await api.post('/v1/account/passkeys', { challenge: asked.challenge, credential, name });
  return true;
}

/** A form that adds a passkey, with the fields that prove the owner; none for a guest. @param {string} submit
 * @param {() => Promise<void> | void} done @param {(Node | false)[]} proof */
function adding(submit, done, ...proof) {
  const said = h('div', { role: 'status' });
  const onSubmit = async (/** @type {Record<string, string>} */ { name, ...values }) => {
    fill(said);
    if (await add(name, values)) await done();
    else fill(said, h('p', {}, t('passkey-none')));
  };
  return [form({ submit, onSubmit }, name(''), ...proof), said];
}

/** @param {Schema<'Passkey'>[]} passkeys @param {boolean} asksForCode with a second factor */
export function opening(passkeys, asksForCode) {
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
        adding(t('passkey-add'), visit, password(), asksForCode && code()),
      ),
  );
}

/** A guest keeps the account with a passkey. @param {() => Promise<void>} kept called afterwards */
export function keeping(kept) {
  if (!canHave()) return false;
  return h('details', { class: 'fold' }, h('summary', {}, t('passkey-keep')), adding(t('keep-account'), kept));
}

/** Sets the first password of an account. */
export function firstPassword() {
  const said = h('div', { role: 'status' });
  const set = async (/** @type {Record<string, string>} */ { next }) => {
    fill(said);
    const asked = await api.post('/v1/sessions/passkey/challenges', {});
    let passkey;
    try {
      passkey = await answered(asked);
    } catch {
      fill(said, h('p', {}, t('passkey-no-answer')));
      return;
    }
    await api.put('/v1/account/password', { passkey, new_password: next });
    visit();
  };
  return part(
    t('password'),
    h('p', {}, t('password-none')),
    form(
      { submit: t('password-set'), onSubmit: set },
      labelled(
        t('password-next'),
        h('input', { type: 'password', name: 'next', required: true, autocomplete: 'new-password' }),
        t('password-help'),
      ),
    ),
    said,
  );
}
