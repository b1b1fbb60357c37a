/** Web Push in this browser: events without an open page. Browsers support it only over HTTPS or from this machine. The
 * service's part is in `pages/account-push.js`. */

import { href } from './router.js';

/** The service worker. Its address stays the same: the browser takes another one for another worker. */
const WORKER = 'app/push-worker.js';

export function canPush() {
  return isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

/** True if the user has blocked it; only the browser's settings can undo this. */
export function isForbidden() {
  return Notification.permission === 'denied';
}

/** Address and scope of the worker. */
function worker() {
  const address = new URL(WORKER, document.baseURI);
  const scope = new URL('.', address).href;
  address.searchParams.set('pages', href(''));
  return { address: address.href, scope };
}

async function registration() {
  return canPush() ? await navigator.serviceWorker.getRegistration(worker().scope) : undefined;
}

export async function isSubscribed() {
  return !!(await (await registration())?.pushManager.getSubscription());
}

/** Asks the user, and subscribes this browser. Null: declined. @param {string} key the service's key
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
    // The subscription can be from another key, such as an earlier database's.
    const old = await manager.getSubscription();
    if (!old) throw failure;
    await old.unsubscribe();
    return (await manager.subscribe(how)).toJSON();
  }
}

/** Ends the subscription in this browser, even if the service can't be reached. */
export async function unsubscribe() {
  const subscription = await (await registration())?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}
