// The match page: the target sea is fully visible and clickable, the fleet is shown before it is sent, the usual action
// comes first, and nothing is sent by accident.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accept, decide, meet, offer, open, player, read, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const { items } = await read('/v1/variants?limit=100');
const cards = await Promise.all(items.map(({ id }) => read(`/v1/variants/${id}`)));
const duel = cards[0];
const armed = cards.find(({ supply_titles: supplies, family }) => supplies.length && family === duel.family);
const layered = cards.find(({ board }) => board.seas[0].layers.length > 1);
const ordered = cards.find(({ actions }) => actions.some(({ action_type: type }) => type === 'orders'));

/** Windows: a phone, a small one, and two at 200 %. */
const WINDOWS = [
  [390, 844],
  [360, 640],
  [640, 400],
  [720, 450],
];

async function begin(name, variant) {
  const players = [await player(world, `${name}a`), await player(world, `${name}b`)];
  const link = await offer(players[0], variant.id, async (page) => {
    if (variant.seats.max > 2) await page.locator('[name=seats]').selectOption('2');
  });
  await accept(players[1], link);
  await meet(players);
  return players;
}

/** The player on turn. */
async function acting(players) {
  for (;;) {
    for (const one of players) if (await one.page.locator('.decision').count()) return one;
    await players[0].page.waitForTimeout(50);
  }
}

/** Cells of the large sea that a press on their centre does not reach. */
const covered = ({ page }) =>
  page.evaluate(() => {
    scrollTo(0, 0);
    const cells = [...document.querySelectorAll('.lead [data-cell]')];
    const hidden = cells.filter((cell) => {
      const { x, y, width, height } = cell.getBoundingClientRect();
      return !cell.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    return hidden.map((cell) => cell.dataset.cell);
  });

for (const [width, height] of WINDOWS)
  test(`no cell is covered at ${width} × ${height}`, async () => {
    const players = await begin('fit', duel);
    for (const { page } of players) await page.setViewportSize({ width, height });
    for (const one of players) {
      assert.deepEqual(await covered(one), [], 'while the fleet is laid');
      assert.equal(await one.page.locator('.lead .sea-frame.active').count(), 1, 'the sea to lay it on is large');
    }
    for (const one of players) await decide(one, []);
    const shooter = await acting(players);
    await shooter.page.locator('.lead [data-cell]').last().waitFor();
    assert.deepEqual(await covered(shooter), [], 'while one fires');
    assert.equal(await shooter.page.locator('.lead .sea-frame.active').count(), 1, 'the sea to fire at is large');
    const last = shooter.page.locator('.lead [data-cell]').last();
    await last.click({ trial: true }); // waits until the sea stands still
    const { x, y, width: wide, height: high } = await last.boundingBox();
    await shooter.page.mouse.click(x + wide / 2, y + high / 2);
    await shooter.page.locator('.lead .cell.chosen').waitFor();
    assert.equal(
      await shooter.page.locator('.lead .cell.chosen').getAttribute('data-cell'),
      await last.getAttribute('data-cell'),
    );
    await Promise.all(players.map(({ context }) => context.close()));
  });

for (const variant of [armed, layered, ordered])
  test(`no cell of ${variant.id} is covered`, async () => {
    const players = await begin('fits', variant);
    for (const [width, height] of WINDOWS)
      for (const one of players) {
        await one.page.setViewportSize({ width, height });
        await one.page.waitForTimeout(100); // the sea fits itself in
        assert.deepEqual(await covered(one), [], `${width} × ${height}`);
        assert.ok(await one.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is too wide');
      }
    await Promise.all(players.map(({ context }) => context.close()));
  });

test('a fleet is laid at random on the board, again and again, and sent by another button', async () => {
  const [one, other] = await begin('lay', duel);
  const { page } = one;
  let sent = 0;
  page.on('request', (request) => (sent += Number(request.url().endsWith('/actions'))));
  const seen = new Set();
  for (let i = 0; i < 3; i++) {
    await page.locator('[data-focus=auto]').click();
    const ships = page.locator('.lead .ship.own');
    assert.equal(await ships.count(), duel.classes.length);
    const labels = page.locator('.lead [data-cell]');
    seen.add(
      await labels.evaluateAll((all) =>
        all
          .filter((cell) => !cell.ariaLabel.includes('unknown'))
          .map((cell) => cell.dataset.cell)
          .join(' '),
      ),
    );
  }
  assert.ok(seen.size > 1, 'not twice the same');
  assert.equal(sent, 0, 'nothing was sent');
  await page.locator('[data-focus=send]').click();
  await page.locator('.panel .waiting').waitFor();
  assert.equal(sent, 1);
  await Promise.all([one, other].map(({ context }) => context.close()));
});

test('the usual action comes first and is chosen, turn after turn', async () => {
  const players = await begin('tab', armed);
  for (const one of players) await decide(one, []);
  const usual = armed.actions.find(({ action_type: type }) => type === 'fire').title;
  /** @type {string[]} */
  const orders = [];
  for (let turn = 0; turn < 6; turn++) {
    const one = await acting(players);
    const tabs = one.page.locator('.decision .tab');
    const texts = await tabs.evaluateAll((all) => all.map((tab) => tab.firstChild.textContent));
    assert.equal(texts[0], usual);
    assert.equal(await tabs.first().getAttribute('aria-pressed'), 'true');
    orders.push(texts.join());
    await decide(one, []);
  }
  assert.equal(new Set(orders).size, 1, orders.join('\n'));
  await Promise.all(players.map(({ context }) => context.close()));
});

test('no orders at all are sent only when that was asked for twice', async () => {
  const players = await begin('ask', ordered);
  const send = ({ page }) => page.locator('[data-focus=send]');
  // The fleets, and everything else before the first orders.
  for (let made = 0; made < 4; ) for (const one of players) if (await decide(one, [])) made++;
  const one = await acting(players);
  let sent = 0;
  one.page.on('request', (request) => (sent += Number(request.url().endsWith('/actions'))));
  await send(one).click();
  await one.page.locator('[data-focus=send].sure').waitFor();
  assert.equal(sent, 0);
  await send(one).click();
  await one.page.waitForFunction(() => !document.querySelector('[data-focus=send].sure'));
  assert.equal(sent, 1);
  await Promise.all(players.map(({ context }) => context.close()));
});

test('too many requests: the seconds are counted, and a move costs one request', async () => {
  const players = await begin('many', duel);
  for (const one of players) await decide(one, []);
  const one = await acting(players);
  const { page } = one;
  await page.route('**/actions', (route) =>
    route.fulfill({ status: 429, headers: { 'Retry-After': '7' }, json: { code: 'too-many-requests', title: 'no' } }),
  );
  const cell = page.locator('.lead .cell.open').first();
  await cell.click();
  await page.locator('[data-focus=send]').click();
  await page.locator('.panel .refusal', { hasText: /[67] seconds/ }).waitFor();
  assert.ok(await page.locator('[data-focus=send]').isDisabled());
  await page.unroute('**/actions');
  await page.locator('[data-focus=send]:enabled').waitFor({ timeout: 15_000 });
  const asked = [];
  page.on('request', (request) => request.url().includes('/v1/matches/') && asked.push(request.url().replace(url, '')));
  await page.locator('[data-focus=send]').click();
  await page.locator('.panel .waiting').waitFor();
  await page.waitForTimeout(1500);
  assert.equal(asked.length, 1, asked.join('\n'));
  assert.deepEqual(world.faults, []);
});

test('from My turns a move goes on to the next match, unless the switch is off', async () => {
  const [anna, ben] = await Promise.all(['onwarda', 'onwardb'].map((name) => player(world, name)));
  for (let n = 0; n < 3; n++) {
    await accept(ben, await offer(anna, duel.id));
    await ben.page.waitForURL('**/match/*');
  }
  await anna.page.goto(`${url}/play`);
  await anna.page.locator('.turns .turn').first().click();
  await anna.page.waitForURL('**/match/*');
  await anna.page.locator('.decision').waitFor();
  const first = anna.page.url();
  await decide(anna, []);
  await anna.page.waitForURL((now) => now.pathname.startsWith('/match/') && now.href !== first);
  await anna.page.goto(`${url}/play`);
  const label = await anna.page.locator('.tools label').textContent();
  await anna.page.getByLabel(label).uncheck();
  await anna.page.reload();
  assert.equal(await anna.page.getByLabel(label).isChecked(), false);
  await anna.page.clock.install();
  await anna.page.locator('.turns .turn').first().click();
  await anna.page.waitForURL('**/match/*');
  await anna.page.locator('.decision').waitFor();
  assert.equal(await anna.page.locator('[name=go-on]').isChecked(), false);
  const second = anna.page.url();
  await decide(anna, []);
  await anna.page.clock.fastForward(10_000);
  assert.equal(anna.page.url(), second, 'another match waits, and the page stays');
  await Promise.all([anna, ben].map(({ context }) => context.close()));
});
