/**
 * This browser as one that hears of events when no page is open (Web Push). Browsers have it for pages that came over
 * HTTPS or from this machine. What the service knows of it is in `pages/account-push.js`.
 */

import { href } from './router.js';

/** The program that shows what comes. Its address stays the same, or the browser would take it for another one. */
const WORKER = 'app/push-worker.js';

/** Whether this browser has it at all. */
export function canPush() {
  return isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

/** Whether the person has forbidden it, which only they can undo, in the browser's own settings. */
export function isForbidden() {
  return Notification.permission === 'denied';
}

/** The address of the program, and the part of the site that it is for. */
function worker() {
  const address = new URL(WORKER, document.baseURI);
  const scope = new URL('.', address).href;
  address.searchParams.set('pages', href(''));
  return { address: address.href, scope };
}

async function registration() {
  return canPush() ? await navigator.serviceWorker.getRegistration(worker().scope) : undefined;
}

/** Whether this browser is subscribed. */
export async function isSubscribed() {
  return !!(await (await registration())?.pushManager.getSubscription());
}

/** Asks the person, and subscribes this browser. Null: they don't want it. @param {string} key the service's key
 * @returns {Promise<PushSubscriptionJSON | null>} */
export async function subscribe(key) {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const { address, scope } = worker();
  const registered = await navigator.serviceWorker.register(address, { scope });
  const manager = registered.pushManager;
  const how = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return (await manager.subscribe(how)).toJSON();
  } catch (failure) {
    // The browser is subscribed by another key, of an earlier database say.
    const old = await manager.getSubscription();
    if (!old) throw failure;
    await old.unsubscribe();
    return (await manager.subscribe(how)).toJSON();
  }
}

/** Ends it in this browser, whether the service can be reached or not. */
export async function unsubscribe() {
  const subscription = await (await registration())?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}
