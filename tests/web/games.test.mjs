// Two browsers play every variant that the service lists to its end, by the page alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accept, meet, offer, open, picture, player, playOut, read, unsaid } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const { items } = await read('/v1/variants?limit=100');
const only = process.env.ONLY?.split(',');

/** @type {any[]} */
const pairs = [];
before(async () => {
  for (const side of [{}, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }])
    pairs.push(await player(world, 'p', side));
});

for (const { id, seats } of items) {
  if (only && !only.includes(id)) continue;
  test(`two people play ${id}`, async () => {
    const link = await offer(pairs[0], id, async (page) => {
      if (seats.max > 2) await page.locator('[name=seats]').selectOption('2');
    });
    await accept(pairs[1], link);
    await meet(pairs);
    await picture(pairs[0], `${id}-fleet`);
    await playOut(pairs, 30);
    for (const [i, one] of pairs.entries()) {
      await picture(one, `${id}-end-${i}`);
      assert.deepEqual(await unsaid(one), []);
    }
    await pairs[0].page.locator('.result a').first().click();
    await pairs[0].page.locator('.controls').waitFor();
    await picture(pairs[0], `${id}-replay`);
    assert.deepEqual(world.faults, []);
  });
}
