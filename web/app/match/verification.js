/** Verification of a match's record: the service's check, in words. */

import { api } from '../api.js';
import { announce, fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { action } from '../ui.js';

/** A button that has the record checked, and the result. @param {string} id */
export function verification(id) {
  const verdict = h('div', { class: 'verdict' });
  const check = async () => {
    fill(verdict);
    const record = await api.get(/** @type {const} */ (`/v1/matches/${id}/record`));
    const found = await api.post('/v1/records/verify', record);
    fill(verdict, ...(found.holds ? good(found) : bad(found)));
    announce(t(found.holds ? 'record-holds' : 'record-fails'));
  };
  return h('div', { class: 'verification' }, action(t('check-record'), check), verdict);
}

/** @param {Schema<'RecordVerification'>} found */
function good(found) {
  const list = (/** @type {Schema<'RecordStatement'>[]} */ said) =>
    h(
      'ul',
      {},
      said.map(({ detail }) => h('li', {}, detail)),
    );
  return [
    h('p', {}, h('strong', {}, t('record-holds'))),
    h('h3', {}, t('record-proven')),
    list(found.proven),
    h('h3', {}, t('record-not-proven')),
    list(found.not_proven),
    h('p', { class: 'muted' }, t('check-yourself')),
  ];
}

/** @param {Schema<'RecordVerification'>} found */
function bad(found) {
  return [
    h('p', {}, h('strong', {}, t('record-fails'))),
    h(
      'ul',
      {},
      found.faults.map(({ pointer, detail }) => h('li', {}, pointer && h('code', {}, pointer), ' ', detail)),
    ),
  ];
}
