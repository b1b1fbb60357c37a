/** Ways to sign in: at the service, which checks passwords, or as a guest; and the page to return to from there. */

import { api } from '../api.js';
import { API } from '../config.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { begin, finish } from '../oauth.js';
import { go } from '../router.js';
import { enter, keep, me } from '../session.js';
import { action, form, labelled, problemBox } from '../ui.js';

/** The ways to sign in, before the page `then`. @param {string} then */
export function doors(then) {
  const asGuest = async (/** @type {Record<string, string>} */ { username }) => {
    await keep(await api.post('/v1/guests', { username: username ?? '' }));
    go(then, true);
  };
  const name = h('input', {
    name: 'username',
    required: true,
    autocomplete: 'username',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  return h(
    'div',
    { class: 'doors' },
    h(
      'section',
      {},
      h('h2', {}, t('with-account')),
      h('p', {}, API ? t('sign-in-at', { address: API }) : t('sign-in-there')),
      h(
        'p',
        { class: 'buttons' },
        action(t('sign-in'), () => begin(then, false), { class: 'primary', 'data-door': 'sign-in' }),
        action(t('register'), () => begin(then, true), { 'data-door': 'register' }),
      ),
    ),
    h(
      'section',
      {},
      h('h2', {}, t('guest')),
      h('p', {}, t('guest-why')),
      form({ submit: t('play-as-guest'), onSubmit: asGuest }, labelled(t('name'), name)),
    ),
  );
}

/** @type {import('../router.js').Maker} */
export function signInPage({ query }) {
  const wanted = query.get('then') ?? '/play';
  const then = wanted.startsWith('/') && !wanted.startsWith('//') ? wanted : '/play';
  if (me()) go(then, true);
  return {
    title: t('sign-in'),
    body: h('div', {}, h('h1', {}, t('who-are-you')), h('p', {}, t('sign-in-why')), doors(then)),
  };
}

/** The return address of the service's sign-in. Reloaded, it goes on: the answer is used once.
 * @type {import('../router.js').Maker} */
export async function backPage() {
  try {
    const back = await finish();
    if (back) await enter(back.tokens, () => api.get('/v1/account'));
    go(back?.then ?? (me() ? '/play' : '/sign-in'), true);
  } catch (failure) {
    // A forged or old answer doesn't end the present session.
    if (!me()) {
      const body = h('div', {}, h('h1', {}, t('not-signed-in')), problemBox(failure), doors('/play'));
      return { title: t('not-signed-in'), body };
    }
    go('/play', true);
  }
  return { title: t('sign-in'), body: h('div') };
}
