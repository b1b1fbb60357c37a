/** Signing in, registering, and playing as a guest. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { keep } from '../session.js';
import { form, labelled } from '../ui.js';

/** The forms, and what follows them. @param {() => void} then */
export function doors(then) {
  const name = () =>
    labelled(
      t('name'),
      h('input', {
        name: 'username',
        required: true,
        autocomplete: 'username',
        autocapitalize: 'off',
        spellcheck: 'false',
      }),
    );
  const secret = (/** @type {string} */ kind) =>
    labelled(
      t('password'),
      h('input', { name: 'password', type: 'password', required: true, autocomplete: kind }),
      kind === 'new-password' ? t('password-help') : '',
    );
  const enter =
    (/** @type {'/v1/accounts' | '/v1/sessions'} */ path) => async (/** @type {Record<string, string>} */ values) => {
      await keep(await api.post(path, { username: values.username, password: values.password }));
      then();
    };
  const enterAsGuest = async (/** @type {Record<string, string>} */ values) => {
    await keep(await api.post('/v1/guests', { username: values.username }));
    then();
  };
  return h(
    'div',
    { class: 'doors' },
    h(
      'section',
      {},
      h('h2', {}, t('register')),
      form({ submit: t('register'), onSubmit: enter('/v1/accounts') }, name(), secret('new-password')),
    ),
    h(
      'section',
      {},
      h('h2', {}, t('sign-in')),
      form({ submit: t('sign-in'), onSubmit: enter('/v1/sessions') }, name(), secret('current-password')),
    ),
    h(
      'section',
      {},
      h('h2', {}, t('guest')),
      h('p', {}, t('guest-why')),
      form({ submit: t('play-as-guest'), onSubmit: enterAsGuest }, name()),
    ),
  );
}

/** @type {import('../router.js').Maker} */
export function signInPage({ query }) {
  const wanted = query.get('then') ?? '/play';
  const then = wanted.startsWith('/') && !wanted.startsWith('//') ? wanted : '/play';
  return {
    title: t('sign-in'),
    body: h(
      'div',
      {},
      h('h1', {}, t('who-are-you')),
      h('p', {}, t('sign-in-why')),
      doors(() => go(then, true)),
    ),
  };
}
