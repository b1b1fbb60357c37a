/** Signing in, registering, and playing as a guest. */

import { Problem, api } from '../api.js';
import { API } from '../config.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { keep } from '../session.js';
import { form, labelled } from '../ui.js';

/** The second step of a sign-in. @param {string} challenge @param {() => void} then */
function secondStep(challenge, then) {
  const answer = async (/** @type {Record<string, string>} */ { code }) => {
    await keep(await api.post('/v1/sessions/second-factor', { challenge, code: code ?? '' }));
    then();
  };
  const input = h('input', { name: 'code', required: true, autocomplete: 'one-time-code', spellcheck: 'false' });
  return form({ submit: t('sign-in'), onSubmit: answer }, labelled(t('code'), input, t('code-help')));
}

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
      try {
        await keep(await api.post(path, { username: values.username, password: values.password }));
      } catch (failure) {
        const challenge = failure instanceof Problem && failure.body?.challenge;
        if (!challenge) throw failure;
        fill(known, secondStep(challenge, then));
        return;
      }
      then();
    };
  const enterAsGuest = async (/** @type {Record<string, string>} */ values) => {
    await keep(await api.post('/v1/guests', { username: values.username }));
    then();
  };
  const known = h(
    'div',
    {},
    form({ submit: t('sign-in'), onSubmit: enter('/v1/sessions') }, name(), secret('current-password')),
    h('p', {}, h('a', { href: `${API}/oauth/forgot-password`, 'data-plain': '' }, t('forgot-password'))),
  );
  return h(
    'div',
    { class: 'doors' },
    h(
      'section',
      {},
      h('h2', {}, t('register')),
      form({ submit: t('register'), onSubmit: enter('/v1/accounts') }, name(), secret('new-password')),
    ),
    h('section', {}, h('h2', {}, t('sign-in')), known),
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
