/** Reporting a text to the moderators. */

import { api } from './api.js';
import { h } from './dom.js';
import { t } from './i18n/index.js';
import { me } from './session.js';
import { form, labelled, select } from './ui.js';

/** @type {Schema<'AbuseReason'>[]} */
const REASONS = ['harassment', 'threat', 'hate', 'spam', 'cheating', 'other'];

/** A form that reports a text; empty for its author and for readers without a session.
 * @param {'challenge' | 'contest' | 'announcement'} subject place of the text @param {string} id
 * @param {string} author */
export function reporting(subject, id, author) {
  const name = me()?.username;
  if (!name || name === author) return null;
  const said = h('p', { class: 'good', role: 'status' });
  const path = /** @type {const} */ (`/v1/abuse-reports/${/** @type {string} */ (subject)}/${id}`);
  const send = async (/** @type {Record<string, string>} */ values) => {
    await api.post(path, {
      reason: /** @type {Schema<'AbuseReason'>} */ (values.reason),
      ...(values.comment && { comment: values.comment }),
    });
    said.textContent = t('report-sent');
  };
  const reasons = REASONS.map((reason) => /** @type {[string, string]} */ ([reason, t(`report.${reason}`)]));
  return h(
    'details',
    { class: 'report' },
    h('summary', {}, t('report')),
    form(
      { submit: t('report'), onSubmit: send },
      labelled(t('report-reason'), select('reason', reasons)),
      labelled(t('report-comment'), h('textarea', { name: 'comment', maxlength: 500, rows: 2 })),
      said,
    ),
  );
}
