// Placing fleets by dragging and by keyboard alone; a custom rule set; three seats; a reload; and hostile texts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accept, decide, meet, offer, open, picture, player, playOut, read, resign } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const { items } = await read('/v1/variants?limit=100');
const duel = items[0].id;
const many = items.find(({ seats }) => seats.max > 2).id;

/** Offers a game and takes it. */
async function begin(players, variant, fill) {
  const link = await offer(players[0], variant, fill);
  for (const someone of players.slice(1)) await accept(someone, link);
  await meet(players);
}

/** Drags each ship of the list to a row of its own. */
async function drag({ page }) {
  const ships = await page.locator('.items [data-drag]').count();
  const rows = page.locator('.sea-frame.active [role=row]');
  for (let i = 0; i < ships; i++) {
    const from = await page.locator('.items [data-drag]').nth(i).boundingBox();
    const to = await rows
      .nth(i * 2)
      .locator('[data-cell]')
      .nth(1)
      .boundingBox();
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(to.x + 30, to.y + 30, { steps: 4 });
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 2 });
    await page.mouse.up();
  }
}

/** Places each ship with arrows, R and Enter; the second one first, by its digit. */
async function keys({ page }) {
  const ships = await page.locator('.items [data-drag]').count();
  await page.locator('.sea-frame.active [data-cell]').first().focus();
  for (const key of ['2', 'r']) await page.keyboard.press(key);
  for (let i = 0; i < ships; i++) {
    for (const key of ['Enter', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  }
}

test('a fleet is placed by dragging, the other by keys', async () => {
  const players = [await player(world, 'dragger'), await player(world, 'typist')];
  await begin(players, duel);
  await drag(players[0]);
  await picture(players[0], 'dragged');
  await players[0].page.locator('[data-focus=send]:enabled').click();
  await keys(players[1]);
  await picture(players[1], 'typed');
  const send = players[1].page.locator('[data-focus=send]:enabled');
  await send.focus();
  await players[1].page.keyboard.press('Enter');
  await Promise.all(players.map(({ page }) => page.locator('.seat.acts').waitFor()));
  await players[0].page.reload();
  await meet(players);
  assert.equal(
    await players[0].page.locator('.ship.own').count(),
    await players[0].page.locator('.sea-frame').nth(1).locator('li.ship-line').count(),
  );
  await playOut(players, 10);
});

test("a rule set of one's own, 12 by 8, is drawn and played", async () => {
  const players = [await player(world, 'maker'), await player(world, 'guest')];
  await begin(players, duel, async (page) => {
    await page.locator('form a.button').click();
    await page.locator('article > details > summary').click();
    const board = page.locator('.rules-form fieldset', { has: page.locator('[name=columns]') });
    await board.locator('[name=rows]').fill('12');
    await board.locator('[name=columns]').fill('8');
    await page.keyboard.press('Tab');
    await page.locator('.differs li').waitFor();
    await picture(players[0], 'own-rules');
    await page.locator('.acts > button').click();
    await page.locator('[name=visibility]').selectOption('link');
  });
  assert.equal(await players[1].page.locator('.sea-frame').first().locator('[role=row]').count(), 12);
  assert.equal(await players[1].page.locator('.sea-frame').first().locator('[data-cell]').count(), 96);
  await playOut(players, 80);
});

test('three seats', async () => {
  const players = [await player(world, 'one'), await player(world, 'two'), await player(world, 'three')];
  await begin(players, many, (page) => page.locator('[name=seats]').selectOption('3'));
  await playOut(players, 30);
  await picture(players[0], 'three-seats');
});

/** The page received an event. */
function hears({ page }, type) {
  const listen = async (wanted) => {
    const { src } = document.querySelector('script[type=module]');
    const { onEvent } = await import(src.replace('main.js', 'stream.js'));
    await new Promise((done) => onEvent((event) => event.type === wanted && done()));
  };
  return page.evaluate(listen, type);
}

test('what happens while the page asks for news is shown as well', async () => {
  const players = [await player(world, 'early'), await player(world, 'late')];
  await begin(players, duel);
  const [early, late] = players;
  let release = () => {};
  const held = new Promise((done) => (release = () => done(undefined)));
  const asked = new Promise((done) =>
    early.page.route(/\/v1\/matches\/[^/?]+$/, async (route) => {
      const response = await route.fetch(); // how the match stood when the page asked
      done(undefined);
      await held;
      await route.fulfill({ response });
    }),
  );
  await decide(late, [early]);
  await asked;
  const heard = hears(early, 'match-finished');
  await resign(late);
  await heard;
  release();
  await early.page.locator('.result').waitFor();
});

test('what a player writes is text', async () => {
  const players = [await player(world, 'writer'), await player(world, 'reader')];
  const nasty = '<img src=x onerror=alert(1)><script>alert(2)</script>';
  await begin(players, duel, (page) => page.locator('[name=message]').fill(nasty));
  await players[0].page.locator('.sheets [role=tab]').nth(1).click();
  await players[0].page.locator('.sheets form [name=text]').fill(nasty);
  await players[0].page.locator('.sheets form:has([name=text]) button').click();
  await players[1].page.locator('.sheets [role=tab]').nth(1).click();
  const message = players[1].page.locator('.messages li').first();
  await message.waitFor();
  assert.ok((await message.innerText()).includes(nasty));
  assert.equal(await players[1].page.locator('main img, main script').count(), 0);
  assert.deepEqual(world.faults, []);
});
