// A newcomer plays a bot: from the first page to the first shot, on a phone, with nothing but a name.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decide, open, person, picture, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

/** @type {any[]} */
const bots = [];
/** The bots need a moment after the service's start, to register. */
async function listed() {
  for (let tries = 0; tries < 200 && bots.length < 3; tries++) {
    const { items } = await (await fetch(`${url}/v1/bots?limit=100`)).json();
    bots.splice(0, bots.length, ...items);
    if (bots.length < 3) await new Promise((done) => setTimeout(done, 100));
  }
  assert.ok(bots.length >= 3, 'the bots of the house wait');
}

/** Makes the required decisions until the log has this number of lines. */
async function plays(someone, lines) {
  while (!(await someone.page.locator('.result').count()) && (await someone.page.locator('.log li').count()) < lines) {
    if (!(await decide(someone, [])))
      await someone.page.waitForFunction(
        () => document.querySelector('.decision') || document.querySelector('.result'),
      );
  }
}

test('a newcomer plays a bot', async () => {
  await listed();
  const newcomer = await person(world, 'newcomer', { viewport: { width: 390, height: 844 } });
  const { page } = newcomer;
  await page.goto(url);
  await page.locator('.hero .play > button').click();
  const form = page.locator('.bots form');
  await form.waitFor();
  await picture(newcomer, 'door');
  await form.locator('[name=username]').fill(`new${process.pid}`);
  await form.locator('button[type=submit]').click();
  await page.waitForURL('**/match/*');
  await plays(newcomer, 12);
  assert.ok((await page.locator('.match small.bot').count()) > 0, 'the bot is marked as one');
  await picture(newcomer, 'against-a-bot');
  assert.deepEqual(world.faults, []);
});

test('a newcomer plays two bots at one board', async () => {
  await listed();
  const { items } = await (await fetch(`${url}/v1/variants?limit=100`)).json();
  const wide = items.find(({ seats }) => seats.max > 2);
  const newcomer = await person(world, 'another', { locale: 'fr' });
  const { page } = newcomer;
  await page.goto(url);
  await page.locator('.hero .play > button').click();
  const form = page.locator('.bots form');
  await form.locator('[name=username]').fill(`two${process.pid}`);
  await form.locator('[name=variant]').selectOption(wide.id);
  await form.locator('[name=count]').selectOption('2');
  await form.locator('button[type=submit]').click();
  await page.waitForURL('**/match/*');
  await plays(newcomer, 8);
  const { pathname } = new URL(page.url());
  const match = await (await fetch(`${url}/v1${pathname.replace('/match/', '/matches/')}`)).json();
  assert.equal(match.seats.filter(({ player }) => player.bot).length, 2);
  await picture(newcomer, 'against-two-bots');
  assert.deepEqual(world.faults, []);
});
