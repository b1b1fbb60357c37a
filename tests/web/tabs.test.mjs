// One person in many tabs, a guest on every page, and a challenge that reaches its receiver.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { open, person, player, read, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const [first] = (await read('/v1/variants?limit=1')).items;
const shown = (page) => page.locator('main[aria-busy=false] h1').waitFor();

/** Offers a game to another player by name. */
async function challenges({ page }, name) {
  await page.goto(`${url}/lobby/new?variant=${first.id}&opponent=${name}`);
  await page.locator('form button[type=submit]').click();
  await page.waitForURL('**/challenge/*');
}

test('eight tabs share one stream, and the next one takes over', async () => {
  const anna = await player(world, 'tabs');
  await anna.page.locator('.lamp.live').waitFor();
  let streams = 0;
  anna.context.on('request', (request) => {
    if (request.headers().accept === 'text/event-stream') streams++;
  });
  const tabs = [];
  for (let i = 0; i < 8; i++) {
    const page = await anna.context.newPage();
    await page.goto(`${url}/play`);
    await shown(page);
    await page.locator('.lamp.live').waitFor();
    tabs.push(page);
  }
  assert.equal(streams, 0, 'the first tab has the only stream');
  const bert = await player(world, 'caller');
  await challenges(bert, anna.username);
  for (const page of tabs) await page.locator('[data-challenge]').waitFor();
  await anna.page.close();
  await tabs[7].locator('.lamp.live').waitFor();
  await bert.page.locator('.doing button').last().click();
  for (const page of tabs) await page.locator('[data-challenge]').waitFor({ state: 'detached' });
  assert.equal(streams, 1, 'one of the others has taken over');
});

test('a challenge reaches its receiver, and so does the wish to play again', async () => {
  const [anna, bert] = [await player(world, 'asked'), await player(world, 'asks')];
  await shown(anna.page);
  await challenges(bert, anna.username);
  await anna.page.locator('header .count', { hasText: '1' }).waitFor();
  await anna.page.locator('[data-challenge] button.primary').click();
  await Promise.all([anna, bert].map(({ page }) => page.waitForURL('**/match/*')));
  await anna.page.locator('.match .panel').waitFor();
  await anna.page.evaluate(() => (globalThis.confirm = () => true));
  await resigns(anna);
  for (const { page } of [anna, bert]) await page.locator('.result').waitFor();
  await bert.page.locator('.result button').first().click();
  await bert.page.waitForURL('**/challenge/*');
  await anna.page.locator('.result [data-challenge] button.primary').click();
  await Promise.all([anna, bert].map(({ page }) => page.waitForURL('**/match/*')));
});

/** Resigns through the API, as the person signed in on the page. */
async function resigns({ page }) {
  const match = new URL(page.url()).pathname.split('/').at(-1);
  await page.evaluate(async (id) => {
    const { api } = await import('/app/api.js');
    await api.post(`/v1/matches/${id}/actions`, { action: { type: 'resign' } });
  }, match);
}

test('a guest sees every page', async () => {
  const guest = await person(world, 'visitor');
  const { page } = guest;
  await page.goto(`${url}/sign-in`);
  await page.evaluate(async (username) => {
    const { api } = await import('/app/api.js');
    const { keep } = await import('/app/session.js');
    await keep(await api.post('/v1/guests', { username }));
  }, `visitor${process.pid}`);
  for (const path of ['/', '/play', '/lobby', '/variants', '/ladders', '/tournaments', '/leaderboards', '/account']) {
    await page.goto(url + path);
    await shown(page);
    assert.equal(await page.locator('.refusal').count(), 0, `${path}: ${await page.locator('main').innerText()}`);
  }
});
