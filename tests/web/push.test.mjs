// Notifications of the browser: the switch on the account's page, the service worker that shows messages, and the end
// at a sign-out. Push services are on the internet, so this test replaces the browser's own subscription; the message
// comes through DevTools, as a push service would bring it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, open, picture, player, read, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

// Browsers allow service workers on https, and on localhost.
const { protocol, hostname } = new URL(url);
const local = hostname === 'localhost' || hostname === '127.0.0.1';
const skip = protocol !== 'https:' && !local && 'the service is not reached securely';

/** The browser's part: it stores the key of its subscription. */
function pretend() {
  const KEY = 'pretended-subscription';
  const subscription = () => ({
    toJSON: () => ({
      endpoint: `https://push.example/send/${localStorage.getItem(KEY)}`,
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    }),
    unsubscribe: async () => {
      localStorage.removeItem(KEY);
      return true;
    },
  });
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError('not like this');
    if (!localStorage.getItem(KEY)) localStorage.setItem(KEY, crypto.randomUUID());
    return subscription();
  };
  PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEY) ? subscription() : null);
  // Records a permission request by the page before a click.
  const ask = Notification.requestPermission.bind(Notification);
  globalThis.asked = 0;
  Notification.requestPermission = () => {
    globalThis.asked++;
    return ask();
  };
}

const section = (page) => page.locator('section.part', { has: page.locator('h2', { hasText: /^Notifications$/ }) });
const knob = (page) => section(page).getByRole('switch');

/** A player who allows notifications. */
async function reachable(name, options) {
  const someone = await player(world, name, { serviceWorkers: 'allow', ...options });
  await someone.context.grantPermissions(['notifications'], { origin: url });
  await someone.context.addInitScript(pretend);
  return someone;
}

async function turnOn({ page }) {
  await page.goto(`${url}/account`);
  await knob(page).waitFor();
  assert.equal(await knob(page).isChecked(), false);
  assert.equal(await page.evaluate(() => globalThis.asked), 0, 'nobody is asked before a click');
  const made = page.waitForResponse((one) => one.request().method() === 'POST' && /push-subscriptions/.test(one.url()));
  await knob(page).click();
  assert.equal((await made).status(), 201);
  await section(page).locator('fieldset').waitFor();
  assert.equal(await knob(page).isChecked(), true);
}

/** The service's entry for this browser. */
const known = ({ page }) =>
  page.evaluate(async () => {
    const { api } = await import(document.querySelector('script[type=module]').src.replace('main.js', 'api.js'));
    return (await api.get('/v1/account/push-subscriptions')).items;
  });

/** Delivers a message, as a push service would. */
async function comes({ context, page }, message) {
  const client = await context.newCDPSession(page);
  const registered = new Promise((resolve) => {
    client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find((one) => one.scopeURL === `${url}/app/` && !one.isDeleted);
      if (found) resolve(found.registrationId);
    });
  });
  await client.send('ServiceWorker.enable');
  const data = JSON.stringify(message).padEnd(512);
  await client.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId: await registered, data });
}

const shown = ({ page }) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/app/');
    const all = await registration.getNotifications();
    return all.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data }));
  });

test('a browser is switched on, hears of a turn, and is switched off', { skip }, async () => {
  const { available } = await read('/v1/push-key');
  assert.equal(available, true);
  const anna = await reachable('anna');
  const { page, context } = anna;
  await turnOn(anna);
  await picture(anna, 'push-account');
  assert.deepEqual(await findings(anna), []);
  const [one] = await known(anna);
  assert.deepEqual(one.events, ['your-turn', 'deadline-near', 'challenge-received']);
  assert.deepEqual([one.service, one.current, one.language], ['push.example', true, 'en']);

  // Chat messages as well.
  await section(page).locator('[name="event.chat"]').check();
  const told = page.waitForResponse((one) => one.request().method() === 'POST' && /push-subscriptions/.test(one.url()));
  await section(page).locator('button[type=submit]').click();
  await told;
  const [same] = await known(anna);
  assert.deepEqual([same.id, same.events.includes('chat')], [one.id, true]);

  const message = { title: 'Your turn', body: 'A game against ben', path: '/match/7', tag: 'one', language: 'en' };
  await comes(anna, { ...message, deadline: '2027-01-02T10:00:00.000Z' });
  let notices = [];
  for (let tries = 0; tries < 100 && !notices.length; tries++) {
    await page.waitForTimeout(100);
    notices = await shown(anna);
  }
  assert.equal(notices.length, 1);
  assert.deepEqual([notices[0].title, notices[0].tag, notices[0].data], ['Your turn', 'one', { path: '/match/7' }]);
  assert.match(notices[0].body, /^A game against ben\n→ .*2027/);

  // Later news of the match replace it.
  await comes(anna, { ...message, title: 'A match is over' });
  for (let tries = 0; tries < 100 && notices[0].title === 'Your turn'; tries++) {
    await page.waitForTimeout(100);
    notices = await shown(anna);
  }
  assert.deepEqual([notices.length, notices[0].title], [1, 'A match is over']);

  // A click opens the match, and never another site.
  const worker = context.serviceWorkers().find((one) => one.url().includes('push-worker'));
  const clicked = (path) =>
    worker.evaluate(async (path) => {
      const opened = [];
      self.clients.openWindow = async (address) => void opened.push(address);
      const [notification] = await self.registration.getNotifications();
      if (path) Object.defineProperty(notification, 'data', { value: { path } });
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
      for (let tries = 0; tries < 100 && !opened.length; tries++) await new Promise((done) => setTimeout(done, 20));
      return opened;
    }, path);
  assert.deepEqual(await clicked('//evil.example/x'), [url]);
  await comes(anna, message);
  for (let tries = 0; tries < 100 && !(await shown(anna)).length; tries++) await page.waitForTimeout(100);
  assert.deepEqual(await clicked(''), [`${url}/match/7`]);

  await knob(page).click();
  await page.waitForFunction(() => !document.querySelector('[name=push]')?.checked);
  await section(page).locator('fieldset').waitFor({ state: 'detached' });
  assert.deepEqual(await known(anna), []);
  assert.deepEqual(world.faults, []);
});

test('signing out ends it', { skip }, async () => {
  const ben = await reachable('ben', { locale: 'fr' });
  const { page } = ben;
  await page.goto(`${url}/account`);
  const french = page.getByRole('switch', { name: 'M’avertir dans ce navigateur quand c’est à moi de jouer' });
  await french.click();
  await page.locator('[name="event.chat"]').waitFor();
  const [one] = await known(ben);
  assert.equal(one.language, 'fr');
  await page.locator('.who button.quiet').click();
  await page.waitForURL(`${url}/`);
  await page.waitForFunction(() => !localStorage.getItem('pretended-subscription'));
  assert.deepEqual(world.faults, []);
});

test('where there is no push, the page says so, and all else is there', { skip }, async () => {
  const carl = await player(world, 'carl');
  await carl.context.addInitScript(() => {
    delete globalThis.PushManager;
  });
  await carl.page.goto(`${url}/account`);
  await section(carl.page).getByText('This browser has no notifications for this page').waitFor();
  assert.equal(await knob(carl.page).count(), 0);
  assert.deepEqual(world.faults, []);
});
