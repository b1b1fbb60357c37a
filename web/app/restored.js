/** A notice at the top after the service was restored from a backup: what is lost, until it is closed. */

import { api } from './api.js';
import { h } from './dom.js';
import { moment } from './format.js';
import { t, whole } from './i18n/index.js';
import { recall, remember } from './memory.js';

/** Under what it is kept which restore the reader knows of. */
const KNOWN = 'restored';

/** Shows the notice above the page, if there is something to tell. @param {HTMLElement} main */
export async function noticeRestore(main) {
  const account = await api.get('/v1/account').catch(() => null);
  const restored = account?.restored;
  if (!restored || recall(KNOWN) === restored.restored_at) return;
  await whole();
  const close = h('button', { type: 'button', class: 'quiet' }, t('close'));
  const text = t('restored', { from: moment(restored.backup_at), until: moment(restored.restored_at) });
  const notice = h('p', { class: 'card', role: 'status' }, text, ' ', close);
  close.addEventListener('click', () => {
    remember(KNOWN, restored.restored_at);
    notice.remove();
  });
  main.before(notice);
}
