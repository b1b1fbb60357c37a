/** The mail address of an account, and the choice of mail. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment, word } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { action, form, labelled, select } from '../ui.js';
import { boxes, chosen, part } from './account-parts.js';

/** The events with mail and notifications, as in the contract. @type {Schema<'MailEventType'>[]} */
export const KINDS = [
  'your-turn',
  'deadline-near',
  'match-started',
  'match-finished',
  'challenge-received',
  'ladder-challenge-received',
  'ladder-pairing-missed',
  'ladder-position-changed',
  'ladder-member-set-inactive',
  'season-end-near',
  'season-ended',
  'ladder-closed',
  'tournament-started',
  'round-deadline-near',
  'round-extended',
  'round-drafted',
  'tournament-bye-changed',
  'tournament-entered-late',
  'round-started',
  'tournament-board-missed',
  'tournament-withdrawn',
  'tournament-finished',
  'tournament-cancelled',
  'substitution-requested',
  'substitution-proposed',
  'seat-handed-over',
  'contest-invited',
  'contest-entry-accepted',
  'contest-entry-declined',
  'contest-member-removed',
  'contest-member-warned',
  'contest-announced',
  'contest-paused',
  'contest-resumed',
  'case-decided',
  'case-appeal-decided',
  'case-appealed',
  'chat',
  'sign-in-failures',
  'session-revoked',
];

/** @param {string} kind */
export const kindInWords = (kind) => word('told', kind);

/** @param {Schema<'MailSettings'>} mail @param {Schema<'Account'>} account */
export function mailing(mail, account) {
  const address = async (/** @type {Record<string, string>} */ { email, password }) => {
    await api.put('/v1/account/email', { email: email ?? '', current_password: password ?? '' });
    visit();
  };
  const save = async (/** @type {Record<string, string>} */ values) => {
    await api.put('/v1/account/mail', {
      events: chosen(values, 'event', KINDS),
      digest: /** @type {Schema<'MailDigest'>} */ (values.digest),
      language: /** @type {Schema<'Language'>} */ (values.language),
      time_zone: mail.time_zone,
      daily_hour: mail.daily_hour,
      quiet_hours: mail.quiet_hours,
    });
    visit();
  };
  const confirm = async () => {
    await api.post('/v1/account/mail/confirmation');
    visit();
  };
  return part(
    t('mail'),
    form(
      { submit: t('save'), onSubmit: address, class: 'form line' },
      labelled(
        t('email'),
        h('input', { type: 'email', name: 'email', value: account.email ?? '', autocomplete: 'email' }),
        t('email-help'),
      ),
      labelled(
        t('password-now'),
        h('input', { type: 'password', name: 'password', required: true, autocomplete: 'current-password' }),
      ),
    ),
    !mail.available && h('p', { class: 'muted' }, t('no-mail')),
    mail.last_failure &&
      h('p', { class: 'refusal' }, t(`mail-${mail.last_failure.reason}`, { time: moment(mail.last_failure.at) })),
    mail.available && account.email && !mail.confirmed && action(t('confirm-email'), confirm),
    mail.available &&
      form(
        { submit: t('save'), onSubmit: save },
        h('fieldset', {}, h('legend', {}, t('mail-on')), boxes('event', KINDS, mail.events, kindInWords)),
        labelled(
          t('digest'),
          select(
            'digest',
            ['immediate', 'hourly', 'daily'].map((one) => [one, t(`digest-${one}`)]),
            mail.digest,
          ),
        ),
        labelled(
          t('language'),
          select(
            'language',
            [
              ['en', 'English'],
              ['fr', 'Français'],
            ],
            mail.language,
          ),
        ),
      ),
  );
}
