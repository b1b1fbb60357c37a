/** Activity of an account: sessions and the security log. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment, word } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { forget, me } from '../session.js';
import { action, nothing, pages } from '../ui.js';
import { part } from './account-parts.js';

/** The origin of a session: `Firefox, Linux · 203.0.113.0/24`.
 * @param {{ program: string | null, system: string | null, network: string | null }} one */
function origin({ program, system, network }) {
  const client = [program, system].filter(Boolean).join(', ');
  return [client, network].filter(Boolean).join(' · ');
}

/** @param {Schema<'Session'>[]} sessions */
export function devices(sessions) {
  const end = (/** @type {Schema<'Session'>} */ one) => async () => {
    if (me()?.guest && one.current && !confirm(t('guest-sign-out'))) return;
    await api.delete(`/v1/sessions/${one.id}`);
    if (one.current) await forget();
    visit();
  };
  const device = (/** @type {Schema<'Session'>} */ one) =>
    h(
      'li',
      {},
      h('span', { title: one.device }, origin(one) || one.device || t('unknown-device')),
      ` · ${t('last-used', { time: moment(one.last_used_at) })} `,
      one.current && h('small', {}, `${t('this-one')} `),
      action(t('sign-out'), end(one)),
    );
  return part(t('sessions'), h('ul', {}, sessions.map(device)));
}

/** @param {Schema<'SecurityEvent'>} event */
function entry(event) {
  return h(
    'div',
    { class: 'entry' },
    h('b', {}, word('security', event.kind)),
    event.subject && [' ', h('q', {}, event.subject)],
    h('br'),
    h('small', {}, [moment(event.at), origin(event)].filter(Boolean).join(' · ')),
  );
}

/** @param {AbortSignal} signal */
export async function securityLog(signal) {
  const list = await pages('/v1/account/security-events', {}, signal, entry, nothing(t('security-nothing')));
  return part(t('security-log'), h('p', {}, t('security-more')), list);
}
