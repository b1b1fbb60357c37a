// The first page and the list of turns: an opponent at one press, a broken address, and keyboard control.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accept, findings, meet, offer, open, person, picture, player, read, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());
const [first] = (await read('/v1/variants?limit=1')).items;

/** Opens the choices to play, and presses the one for a human opponent. */
async function pair({ page }) {
  await page.goto(url);
  await page.locator('.hero .play > button').click();
  await page.locator('.ways section').last().locator('.action button').first().click();
}

test('quick pairing makes an offer, and joins one', async () => {
  const one = await person(world, 'one');
  const other = await person(world, 'other', { locale: 'fr', viewport: { width: 390, height: 844 } });
  await pair(one);
  await one.page.waitForURL(/\/(challenge|match)\//);
  // An older offer may have been open: then the first has joined that one, and the second waits.
  const made = one.page.url().includes('/challenge/');
  await pair(other);
  await other.page.waitForURL(made ? '**/match/*' : /\/(challenge|match)\//);
  if (made) await one.page.waitForURL('**/match/*');
  assert.deepEqual(world.faults, []);
});

test('the ways to play can be used by everybody', async () => {
  for (const options of [{}, { locale: 'fr', colorScheme: 'dark', viewport: { width: 360, height: 640 } }]) {
    const someone = await person(world, 'someone', options);
    await someone.page.goto(url);
    await someone.page.locator('.hero .play > button').click();
    await someone.page.locator('.bots form').waitFor();
    await picture(someone, `ways-${options.locale ?? 'en'}`);
    assert.deepEqual(await findings(someone), []);
    await someone.page.keyboard.press('Escape');
    assert.equal(await someone.page.locator('dialog[open]').count(), 0);
  }
});

test('an address that leads nowhere says so', async () => {
  const lost = await person(world, 'lost');
  for (const path of ['/match', '/players/nobody-of-this-name', '/variants/none', '/no-such-page']) {
    await lost.page.goto(url + path);
    await lost.page.locator('main[aria-busy=false] h1', { hasText: 'Nothing but water here' }).waitFor();
    assert.deepEqual(await findings(lost), [], path);
  }
});

test('a turn can be set aside, and the next one is a key away', async () => {
  const [anna, bert] = [await player(world, 'anna'), await player(world, 'bert')];
  for (let game = 0; game < 2; game++) {
    await accept(bert, await offer(anna, first.id));
    await meet([anna, bert]);
  }
  const { page } = anna;
  await page.goto(`${url}/play`);
  await page.locator('.turns .thumbnail').first().waitFor();
  assert.equal(await page.locator('.turns section').count(), 1);
  const [, second] = await page.locator('.turns li').evaluateAll((all) => all.map((one) => one.dataset.match));
  await page.locator('.turns .turn').first().focus();
  await page.keyboard.press('l');
  assert.equal(await page.locator('.turns section').count(), 2);
  await picture(anna, 'set-aside');
  assert.deepEqual(await findings(anna), []);
  await page.keyboard.press('n');
  await page.waitForURL(`**/match/${second}`);
});

test('the pages open without a network, and go on when it is back', async () => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  for (const path of ['/', '/lobby']) {
    await page.goto(url + path);
    await page.locator('main[aria-busy=false] h1').waitFor();
  }
  await context.setOffline(true);
  await page.goto(url);
  await page.locator('.hero h1').waitFor();
  await page.goto(`${url}/ladders`);
  await page.locator('main .refusal').waitFor();
  await context.setOffline(false);
  await page.locator('main .refusal').waitFor({ state: 'detached' });
  await page.locator('main[aria-busy=false] h1').waitFor();
  assert.equal(await page.locator('main .refusal').count(), 0);
  await context.close();
});

test('a browser that keeps nothing can play as well', async () => {
  const anna = await person(world, 'forgetful', { locale: 'fr' });
  await anna.context.addInitScript(() =>
    Object.defineProperty(globalThis, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    }),
  );
  await anna.page.goto(url);
  await anna.page.locator('.hero .play > button').waitFor();
  await anna.page.goto(`${url}/variants/puzzle`);
  await anna.page.locator('#main h1').waitFor();
  assert.equal(await anna.page.locator('html').getAttribute('lang'), 'fr');
  assert.deepEqual(world.faults, []);
});
