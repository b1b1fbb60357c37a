/** The second factor of an account: codes of an authenticator app. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { form, labelled } from '../ui.js';
import { part } from './account-parts.js';

const code = () =>
  labelled(
    t('code'),
    h('input', { name: 'code', required: true, autocomplete: 'one-time-code', spellcheck: 'false' }),
    t('code-help'),
  );

const password = () =>
  labelled(
    t('password-now'),
    h('input', { type: 'password', name: 'password', required: true, autocomplete: 'current-password' }),
  );

/** A picture from the service. As an image it can't run scripts. @param {string} svg @param {string} alt */
function picture(svg, alt) {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  return h('img', { src: address, alt, width: 240, on: { load: () => URL.revokeObjectURL(address) } });
}

/** @param {string[]} codes */
function recoveryCodes(codes) {
  return h(
    'div',
    { role: 'status' },
    h('p', {}, t('recovery-codes-once')),
    h(
      'ul',
      {},
      codes.map((one) => h('li', {}, h('code', {}, one))),
    ),
  );
}

/** @param {Schema<'SecondFactor'>} factor */
export function guarding(factor) {
  const shown = h('div');
  const begin = async (/** @type {Record<string, string>} */ values) => {
    const setup = await api.post('/v1/account/second-factor', { current_password: values.password });
    const confirm = async (/** @type {Record<string, string>} */ typed) => {
      const made = await api.post('/v1/account/second-factor/confirm', { code: typed.code });
      fill(shown, recoveryCodes(made.recovery_codes));
    };
    fill(
      shown,
      h('p', {}, t('factor-scan')),
      picture(setup.qr_code, t('factor-picture')),
      h('p', {}, t('factor-secret'), ' ', h('code', {}, setup.secret)),
      h('p', {}, h('a', { href: setup.uri, 'data-plain': '' }, t('factor-open'))),
      form({ submit: t('factor-confirm'), onSubmit: confirm }, code()),
    );
  };
  const replace = async (/** @type {Record<string, string>} */ values) => {
    const body = { current_password: values.password, code: values.code };
    const made = await api.post('/v1/account/second-factor/recovery-codes', body);
    fill(shown, recoveryCodes(made.recovery_codes));
  };
  const remove = async (/** @type {Record<string, string>} */ values) => {
    await api.delete('/v1/account/second-factor', { current_password: values.password, code: values.code });
    visit();
  };
  const folded = (/** @type {string} */ text, /** @type {(values: Record<string, string>) => Promise<void>} */ work) =>
    h('details', { class: 'fold' }, h('summary', {}, text), form({ submit: text, onSubmit: work }, password(), code()));
  if (!factor.enabled_at) {
    fill(shown, form({ submit: t('factor-set-up'), onSubmit: begin }, password()));
    return part(t('factor'), h('p', {}, t('factor-more')), shown);
  }
  return part(
    t('factor'),
    h('p', {}, t('factor-on', { since: moment(factor.enabled_at), left: factor.recovery_codes_left })),
    folded(t('recovery-codes-new'), replace),
    folded(t('factor-remove'), remove),
    shown,
  );
}
