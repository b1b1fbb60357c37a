// The game editor: a player paints an island, draws a ship, changes the salvo, undoes a change, plays a bot by these
// rules, and publishes them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, meet, open, person, picture, player, read, unsaid, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

/** The first game whose board has islands, by its schema. */
async function game() {
  const { items } = await read('/v1/variants?limit=100');
  for (const { id } of items) if ((await read(`/v1/variants/${id}`)).rule_set_schema.properties.islands) return id;
  throw new Error('no game has islands');
}
const id = await game();

/** No rules are published twice, so the ship has a name of its own. */
const ship = `Élan ${process.pid}`;

const differences = ({ page }) => page.locator('.differs li');
const valid = ({ page }) => page.locator('.verdict .good').waitFor();

/** Paints, draws and chooses. */
async function change(someone) {
  const { page } = someone;
  await page.locator('.verdict p').waitFor();
  const sea = page.locator('section sea-board');
  const cell = (label) => sea.locator(`[data-cell="${label}"]`);
  await cell('C3').click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.match(await cell('C4').getAttribute('aria-label'), /island|île/);
  for (const label of ['A1', 'A2', 'B2']) await page.locator(`.yard [data-cell="${label}"]`).click();
  const name = page.locator('input[name=ship_name]'); // guests name no ships: theirs takes the place of another
  if (await name.count()) await name.fill(ship);
  await page.locator('.yard button').click();
  const line = page.locator('.fleet-counts li');
  await ((await name.count()) ? line.last() : line.first()).locator('button').last().click();
  await page.locator('input[name=salvo]').nth(1).check();
  await valid(someone);
}

test('rules are made, and tried against a bot', async () => {
  const guest = await person(world, 'maker');
  const { page } = guest;
  await page.goto(`${url}/variants/${id}`);
  await page.locator('aside a.button').last().click();
  await page.waitForURL('**/edit');
  await change(guest);
  assert.equal(await differences(guest).count(), 3, 'an island, a ship, a salvo');
  assert.equal(await page.locator('section sea-board .spine.hull').count(), 2, 'two bent ships lie on the example');
  await picture(guest, 'editor');
  assert.deepEqual(await unsaid(guest), []);
  assert.deepEqual(await findings(guest), []);
  await page.reload();
  await valid(guest);
  assert.equal(await differences(guest).count(), 3, 'the browser keeps the draft');
  await differences(guest).last().locator('button').click();
  await page.waitForFunction(() => document.querySelectorAll('.differs li').length === 2);
  await valid(guest);
  while (!(await read('/v1/bots')).items.length) await page.waitForTimeout(100); // they need a moment to register
  await page.locator('.acts .primary').click();
  await meet([guest]);
  const match = await read(new URL(page.url()).pathname.replace('/match/', '/v1/matches/'));
  assert.ok(match.seats.some(({ player: one }) => one.bot));
  assert.deepEqual(world.faults, []);
});

test('rules are published on a phone, and others find them at their address', async () => {
  const author = await player(world, 'author', { viewport: { width: 390, height: 844 }, locale: 'fr' });
  const { page } = author;
  await page.goto(`${url}/variants/${id}/edit`);
  await change(author);
  await picture(author, 'editor-phone');
  await page.locator('.acts summary').click();
  await page.locator('[name=title]').fill(`Skerries ${process.pid}`);
  await page.locator('.acts form button').click();
  await page.waitForURL('**/edit?rules=*');
  const reader = await person(world, 'reader');
  await reader.page.goto(page.url());
  await reader.page.locator('.differs li').first().waitFor();
  assert.match(await reader.page.locator('h1').innerText(), /^Skerries/);
  assert.deepEqual(world.faults, []);
});
