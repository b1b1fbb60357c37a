/** A notice after a restore from a backup: the lost period, until closed. */

import { api } from './api.js';
import { h } from './dom.js';
import { moment } from './format.js';
import { t, whole } from './i18n/index.js';
import { recall, remember } from './memory.js';

/** Storage key of the last restore known to the reader. */
const KNOWN = 'restored';

/** Shows the notice above the page, if any. @param {HTMLElement} main */
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
