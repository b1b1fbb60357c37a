// Standing orders: created with the form, with the board and by keyboard, executed by the service, and deleted.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accept, decide, findings, meet, offer, open, picture, player, read } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const [first] = (await read('/v1/variants?limit=1')).items;
/** @type {any[]} */
const players = [];
/** The player on turn, and the one who waits. */
let [shooter, waiter] = [null, null];

async function turns() {
  const acts = await Promise.all(players.map(({ page }) => page.locator('.decision').count()));
  [shooter, waiter] = acts[0] ? players : [...players].reverse();
}

before(async () => {
  players.push(await player(world, 'owner'));
  const small = { viewport: { width: 360, height: 780 }, colorScheme: 'dark', locale: 'fr' };
  players.push(await player(world, 'absent', small));
  await accept(players[1], await offer(players[0], first.id));
  await meet(players);
  for (const someone of players) await decide(someone, []);
  await Promise.race(players.map(({ page }) => page.locator('.decision').waitFor()));
  await turns();
});

const fold = ({ page }) => page.locator('details.standing');

async function unfold(someone) {
  if ((await fold(someone).getAttribute('open')) === null) await fold(someone).locator('summary').first().click();
  await fold(someone).locator('form').waitFor();
}

/** Presses a cell of the opponent's sea that was not shot at. */
async function press({ page }) {
  return page.evaluate(() => {
    const seas = [...document.querySelectorAll('.sea-frame')];
    const sea = seas.find((one) => !one.querySelector('.ship.own'));
    const cells = [...sea.querySelectorAll('[data-cell]')].filter((cell) => /unknown|inconnue/.test(cell.ariaLabel));
    const cell = cells[Math.floor(cells.length / 2)];
    cell.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    return cell.dataset.cell;
  });
}

test('an order is given on the board, and played while nobody is there', async () => {
  await unfold(waiter);
  const form = fold(waiter).locator('form');
  const then = form.locator('fieldset').nth(1);
  await then.locator('[aria-pressed]').click();
  const cell = await press(waiter);
  assert.equal(await then.locator('input').inputValue(), cell);
  assert.equal(await then.locator('[aria-pressed=true]').count(), 1);
  await form.locator('[name=delay]').selectOption('0 0');
  await picture(waiter, 'standing-form');
  assert.deepEqual(await findings(waiter), []);
  assert.ok(await waiter.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is too wide');
  await form.locator('button[type=submit]').click();
  const given = fold(waiter).locator('.given-orders > li');
  await given.waitFor();
  assert.ok((await given.innerText()).includes(cell), await given.innerText());
  // The opponent sees nothing of it, and plays.
  const before = await waiter.page.locator('.log li').count();
  assert.ok(await decide(shooter, []));
  await given.waitFor({ state: 'detached' });
  await waiter.page.waitForFunction((count) => document.querySelectorAll('.log li').length > count + 1, before);
  await waiter.page
    .locator(`.sea-frame [data-cell="${cell}"]:not([aria-label*="nconnu"]):not([aria-label*="nknown"])`)
    .first()
    .waitFor();
});

test('a condition is chosen by keys, and taken back with its order', async () => {
  for (const someone of players) {
    await unfold(someone);
    const form = fold(someone).locator('form');
    const { keyboard } = someone.page;
    await form.locator('[data-add=condition]').focus();
    await keyboard.press('Enter');
    const condition = form.locator('.condition');
    await condition.waitFor();
    // The reported answer: the first possible one, at a cell.
    await condition.locator('select').nth(1).focus();
    await keyboard.press('ArrowDown');
    const said = await condition.locator('select').nth(1).locator('option:checked').innerText();
    await condition.locator('input').fill('a1');
    for (const [i, cells] of ['B2', 'C3'].entries()) {
      const branch = form.locator('fieldset').nth(i + 1);
      if (i) await branch.locator('select').selectOption({ index: 1 });
      await branch.locator('input').fill(cells);
    }
    await picture(someone, 'standing-condition');
    assert.deepEqual(await findings(someone), []);
    await form.locator('button[type=submit]').press('Enter');
    const given = fold(someone).locator('.given-orders > li');
    await given.waitFor();
    const text = await given.innerText();
    for (const part of ['A1', 'B2', 'C3', said.split(': ')[1]]) assert.ok(text.includes(part), `${part} in ${text}`);
    await picture(someone, 'standing-given');
    assert.deepEqual(await findings(someone), []);
    await given.locator('button').click();
    await given.waitFor({ state: 'detached' });
  }
});

test('what can never be is refused beside the form', async () => {
  const [one] = players;
  await unfold(one);
  const form = fold(one).locator('form');
  await form.locator('fieldset').nth(1).locator('input').fill('Z99');
  await form.locator('button[type=submit]').click();
  await form.locator('.refusal').waitFor();
  assert.equal(await fold(one).locator('.given-orders > li').count(), 0);
  assert.deepEqual(world.faults, []);
});
