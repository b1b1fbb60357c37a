/** The account page: calendar, mail, tokens, sessions, password. */

import { api, send } from '../api.js';
import { API } from '../config.js';
import { fill, h } from '../dom.js';
import { moment, span } from '../format.js';
import { t } from '../i18n/index.js';
import { go, visit } from '../router.js';
import { forget, isApp, me, renew } from '../session.js';
import { action, form, labelled, link, select } from '../ui.js';
import { devices, securityLog } from './account-activity.js';
import { awayPart, keepAway } from './account-away.js';
import { guarding } from './account-factor.js';
import { mailing } from './account-mail.js';
import { boxes, chosen, part } from './account-parts.js';
import { registering } from './account-registered.js';
import { challenging, naming, profiling } from './account-profile.js';
import { ringing } from './account-push.js';
import { firstPassword, keeping, opening } from './account-passkeys.js';
import { doors } from './sign-in.js';

/** @type {Schema<'Weekday'>[]} */
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** @param {string} current */
function zones(current) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const all = [...new Set(['UTC', own, current, ...Intl.supportedValuesOf('timeZone')])];
  return select(
    'time_zone',
    all.map((zone) => [zone, zone.replaceAll('_', ' ')]),
    current,
  );
}

/** Playing times and days off. @param {Schema<'Calendar'>} calendar */
function playing(calendar) {
  const said = h('p', { class: 'good', role: 'status' });
  const save = async (/** @type {Record<string, string>} */ values) => {
    await api.put('/v1/account/calendar', {
      time_zone: values.time_zone,
      night: values.start && values.end ? { start: values.start, end: values.end } : null,
      days_off: chosen(values, 'day', DAYS),
      automatic_vacation: 'automatic' in values,
      remind_at_percent: values.remind ? Number(values.remind) : null,
    });
    said.textContent = t('saved');
  };
  const day = (/** @type {string} */ name) =>
    new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long', timeZone: 'UTC' }).format(
      Date.UTC(2024, 0, 1 + DAYS.findIndex((day) => day === name)),
    );
  return part(
    t('when-i-play'),
    h('p', {}, t('when-more')),
    form(
      { submit: t('save'), onSubmit: save },
      labelled(t('time-zone'), zones(calendar.time_zone)),
      h(
        'div',
        { class: 'grid' },
        labelled(t('night-from'), h('input', { type: 'time', name: 'start', value: calendar.night?.start ?? '' })),
        labelled(t('night-until'), h('input', { type: 'time', name: 'end', value: calendar.night?.end ?? '' })),
      ),
      h('fieldset', {}, h('legend', {}, t('days-off')), boxes('day', DAYS, calendar.days_off, day)),
      labelled(
        t('automatic-vacation'),
        h('input', { type: 'checkbox', name: 'automatic', checked: calendar.automatic_vacation }),
        t('automatic-help'),
      ),
      labelled(
        t('remind'),
        h('input', { type: 'number', name: 'remind', min: 5, max: 50, value: calendar.remind_at_percent ?? '' }),
        t('remind-help'),
      ),
      said,
    ),
    vacations(calendar),
  );
}

/** @param {Schema<'Calendar'>} calendar */
function vacations(calendar) {
  const book = async (/** @type {Record<string, string>} */ { from, until }) => {
    await api.post('/v1/account/vacations', {
      ends_at: new Date(until ?? '').toISOString(),
      ...(from && { starts_at: new Date(from).toISOString() }),
    });
    visit();
  };
  const cancel = (/** @type {string} */ id) => async () => {
    await api.delete(`/v1/account/vacations/${id}`);
    visit();
  };
  const list = calendar.vacations.map((one) =>
    h('li', {}, `${moment(one.starts_at)} – ${moment(one.ends_at)} `, action(t('withdraw'), cancel(one.id))),
  );
  return h(
    'div',
    {},
    h('h3', {}, t('vacations')),
    h('p', {}, t('vacation-left', { time: span(calendar.vacation_left_s) })),
    list.length > 0 && h('ul', {}, list),
    form(
      { submit: t('book'), onSubmit: book, class: 'form line' },
      labelled(t('from'), h('input', { type: 'datetime-local', name: 'from' }), t('from-help')),
      labelled(t('until-when'), h('input', { type: 'datetime-local', name: 'until', required: true })),
    ),
  );
}

/** @param {ItemOf<'/v1/account/tokens'>[]} tokens */
function programs(tokens) {
  const shown = h('div');
  /** @type {Schema<'Scope'>[]} */
  const scopes = [
    'account:read',
    'account:write',
    'lobby:read',
    'lobby:write',
    'matches:read',
    'matches:play',
    'webhooks:read',
    'webhooks:write',
  ];
  const make = async (/** @type {Record<string, string>} */ values) => {
    const { token } = await api.post('/v1/account/tokens', {
      name: values.name,
      scopes: chosen(values, 'scope', scopes),
    });
    fill(shown, h('p', { role: 'status' }, t('token-once'), ' ', h('code', {}, token)));
  };
  const revoke = (/** @type {string} */ id) => async () => {
    await api.delete(`/v1/account/tokens/${id}`);
    visit();
  };
  const list = tokens.map((one) =>
    h('li', {}, h('b', {}, one.name), ` ${one.scopes.join(' ')} `, action(t('revoke'), revoke(one.id))),
  );
  return part(
    t('tokens'),
    h('p', {}, t('tokens-more')),
    h('ul', {}, list),
    form(
      { submit: t('make-token'), onSubmit: make },
      labelled(t('token-name'), h('input', { name: 'name', required: true, maxlength: 60 })),
      h(
        'fieldset',
        {},
        h('legend', {}, t('scopes')),
        boxes('scope', scopes, ['matches:read', 'matches:play'], (one) => t(`scope.${one}`)),
      ),
    ),
    shown,
  );
}

/** Apps of others with access to the account. @param {Schema<'App'>[]} apps */
function acting(apps) {
  const revoke = (/** @type {string} */ id) => () => api.delete(`/v1/account/apps/${id}`).then(visit);
  const mark = (/** @type {Schema<'App'>} */ one) =>
    one.registered ? t('app-registered', { owner: one.registered.owner }) : t('app-not-registered');
  const list = apps.map((one) =>
    h(
      'li',
      {},
      h('b', {}, one.registered?.name ?? one.client_id),
      ` ${mark(one)} · ${one.scopes.join(' ')} `,
      action(t('revoke'), revoke(one.id)),
    ),
  );
  return part(t('apps'), h('p', {}, t('apps-more')), h('ul', {}, list));
}

function ownData() {
  const save = async () => {
    const answer = await send('GET', '/v1/account/export');
    const address = URL.createObjectURL(await answer.blob());
    h('a', { href: address, download: 'broadside.json' }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  const leave = async (/** @type {Record<string, string>} */ { password }) => {
    await api.delete('/v1/account', { password });
    await forget();
    go('/');
  };
  return part(
    t('own-data'),
    h('p', {}, t('export-more')),
    action(t('export'), save),
    h(
      'details',
      { class: 'fold' },
      h('summary', {}, t('delete-account')),
      h('p', {}, t('delete-more')),
      form(
        { submit: t('delete-account'), onSubmit: leave },
        labelled(t('password'), secret('password', 'current-password')),
      ),
    ),
  );
}

/** @param {string} name @param {string} kind */
const secret = (name, kind) => h('input', { type: 'password', name, required: true, autocomplete: kind });

function changingPassword() {
  const change = async (/** @type {Record<string, string>} */ values) => {
    await api.put('/v1/account/password', { current_password: values.current, new_password: values.next });
    visit();
  };
  return part(
    t('password'),
    form(
      { submit: t('change-password'), onSubmit: change },
      labelled(t('password-now'), secret('current', 'current-password')),
      labelled(t('password-next'), secret('next', 'new-password'), t('password-help')),
    ),
  );
}

/** Turns a guest's account into a full one. */
function claiming() {
  const kept = async () => {
    await renew(); // what is kept of the account says that it is a guest's
    visit();
  };
  const claim = async (/** @type {Record<string, string>} */ { password }) => {
    await api.post('/v1/account/claim', { password });
    await kept();
  };
  return part(
    t('keep-account'),
    h('p', {}, t('keep-account-why')),
    form(
      { submit: t('keep-account'), onSubmit: claim },
      labelled(
        t('password'),
        h('input', { type: 'password', name: 'password', required: true, autocomplete: 'new-password' }),
        t('password-help'),
      ),
    ),
    keeping(kept),
  );
}

/** Settings of an account with a password. @param {Schema<'Account'>} account @param {Schema<'Session'>[]} sessions
 * @param {AbortSignal} signal */
async function settings(account, sessions, signal) {
  const [calendar, mail, tokens, apps, registered, factor, passkeys] = await Promise.all([
    api.get('/v1/account/calendar', {}, signal),
    api.get('/v1/account/mail', {}, signal),
    api.get('/v1/account/tokens', {}, signal),
    api.get('/v1/account/apps', {}, signal),
    api.get('/v1/account/registered-apps', {}, signal),
    api.get('/v1/account/second-factor', {}, signal),
    api.get('/v1/account/passkeys', {}, signal),
  ]);
  const [log, push] = await Promise.all([securityLog(signal), ringing(signal)]);
  return [
    playing(calendar),
    push,
    mailing(mail, account),
    programs(tokens.items),
    acting(apps.items),
    registering(registered.items),
    devices(sessions),
    opening(passkeys.items, !!factor.enabled_at),
    guarding(factor),
    log,
    profiling(account),
    challenging(account),
    naming(account),
    account.has_password ? changingPassword() : firstPassword(),
    ownData(),
  ];
}

/** The parts of an account that can be set here. @param {Schema<'Account'>} account @param {AbortSignal} signal */
async function partsFor(account, signal) {
  if (isApp()) return [playing(await api.get('/v1/account/calendar', {}, signal)), await awayPart()];
  const sessions = (await api.get('/v1/sessions', {}, signal)).items;
  if (account.guest) return [API ? keepAway() : claiming(), await ringing(signal), devices(sessions)];
  return settings(account, sessions, signal);
}

/** @type {import('../router.js').Maker} */
export async function accountPage({ signal }) {
  if (!me()) {
    return {
      title: t('account'),
      body: h('div', {}, h('h1', {}, t('account')), h('p', {}, t('account-signed-out')), doors('/account')),
    };
  }
  const account = await api.get('/v1/account', {}, signal);
  const parts = await partsFor(account, signal);
  return {
    title: t('account'),
    body: h(
      'div',
      {},
      h(
        'div',
        { class: 'title-line' },
        h('h1', {}, account.username),
        link(`/players/${account.username}`, t('profile'), 'button'),
        link('/account/cases', t('decisions-about-me'), 'button'),
        account.roles.includes('moderator') && link('/cases', t('cases'), 'button'),
      ),
      h('div', { class: 'parts' }, parts),
    ),
  };
}
