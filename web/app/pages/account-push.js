/** Browsers with push notifications, and the state of this one. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment } from '../format.js';
import { language, t } from '../i18n/index.js';
import { canPush, isForbidden, isSubscribed, subscribe, unsubscribe } from '../push.js';
import { visit } from '../router.js';
import { action, form, labelled, problemBox } from '../ui.js';
import { boxes, chosen, part } from './account-parts.js';
import { KINDS, kindInWords } from './account-mail.js';

/** A name for this browser: `Chromium, Linux`. */
function browserName() {
  const data = /** @type {{ userAgentData?: { platform: string, brands: { brand: string }[] } }} */ (navigator);
  const brand = data.userAgentData?.brands.find((one) => !/brand/i.test(one.brand))?.brand;
  const family = /Firefox|Safari/.exec(navigator.userAgent)?.[0];
  return [brand ?? family, data.userAgentData?.platform].filter(Boolean).join(', ') || t('push-browser');
}

/** Subscribes this browser, or updates its events. False: the user declined. @param {string} key
 * @param {Schema<'MailEventType'>[]} [events] */
async function tell(key, events) {
  const made = await subscribe(key);
  if (!made?.endpoint || !made.keys?.p256dh || !made.keys.auth) return false;
  const { p256dh, auth } = made.keys;
  await api.post('/v1/account/push-subscriptions', {
    endpoint: made.endpoint,
    p256dh,
    auth,
    name: browserName(),
    language: /** @type {Schema<'Language'>} */ (language),
    ...(events && { events }),
  });
  return true;
}

/** The switch, or why it is missing. @param {string} key @param {Schema<'PushSubscription'> | undefined} own */
function doorbell(key, own) {
  if (!canPush()) return h('p', { class: 'muted' }, t('push-not-here'));
  const box = h('div', { 'aria-live': 'polite' });
  const knob = h('input', { type: 'checkbox', role: 'switch', name: 'push', checked: !!own });
  const change = async () => {
    knob.disabled = true;
    fill(box);
    try {
      if (!knob.checked) {
        if (own) await api.delete(`/v1/account/push-subscriptions/${own.id}`);
        await unsubscribe();
        visit();
      } else if (await tell(key)) {
        visit();
      } else {
        knob.checked = false;
        fill(box, isForbidden() && h('p', { class: 'muted' }, t('push-forbidden')));
      }
    } catch (failure) {
      knob.checked = !!own;
      fill(box, problemBox(failure));
    } finally {
      knob.disabled = false;
    }
  };
  knob.addEventListener('change', () => void change());
  if (isForbidden()) fill(box, h('p', { class: 'muted' }, t('push-forbidden')));
  return h('div', {}, labelled(t('push-here'), knob, t('push-help')), box);
}

/** The events of this browser. @param {string} key @param {Schema<'PushSubscription'>} own */
function topics(key, own) {
  const save = async (/** @type {Record<string, string>} */ values) => {
    await tell(key, chosen(values, 'event', KINDS));
    visit();
  };
  return form(
    { submit: t('save'), onSubmit: save },
    h('fieldset', {}, h('legend', {}, t('push-on')), boxes('event', KINDS, own.events, kindInWords)),
  );
}

/** @param {Schema<'PushSubscription'>} one */
function other(one) {
  const remove = async () => {
    await api.delete(`/v1/account/push-subscriptions/${one.id}`);
    visit();
  };
  const since = t('push-since', { time: moment(one.created_at) });
  return h('li', {}, h('b', {}, one.name), ` · ${one.service} · ${since} `, action(t('push-remove'), remove));
}

/** @param {AbortSignal} signal */
export async function ringing(signal) {
  const [key, list, here] = await Promise.all([
    api.get('/v1/push-key', {}, signal),
    api.get('/v1/account/push-subscriptions', {}, signal),
    isSubscribed(),
  ]);
  const server = key.application_server_key;
  if (!server) return part(t('push'), h('p', { class: 'muted' }, t('push-none')));
  // The browser may have dropped a subscription that the service still has.
  const own = here ? list.items.find((one) => one.current) : undefined;
  const others = list.items.filter((one) => one !== own);
  return part(
    t('push'),
    doorbell(server, own),
    own && topics(server, own),
    others.length > 0 && [h('h3', {}, t('push-others')), h('ul', {}, others.map(other))],
  );
}
