// Two browsers play every listed variant to its end, through the page alone.
//
// To keep the run short, a variant begun after the time limit is played for a few turns and then resigned. `LONG=1`
// gives each of them all the time that it needs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accept, meet, offer, open, picture, player, playOut, read, unsaid } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const { items } = await read('/v1/variants?limit=100');
const only = process.env.ONLY?.split(',');
const wanted = items.filter(({ id }) => !only || only.includes(id));

/** The time limit for matches to be played to their end, and the number of decisions in later ones. */
const until = process.env.LONG ? Infinity : Date.now() + 300_000;
const [ALL, SOME] = [1000, 30];
/** Number of pairs that play at the same time. */
const LANES = 2;
const reasons = new Map();

/** @type {any[][]} */
const free = [];
before(async () => {
  for (let i = 0; i < LANES; i++) {
    const narrow = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };
    free.push([await player(world, 'p'), await player(world, 'p', narrow)]);
  }
});

test('two people play each variant', { concurrency: LANES }, async (all) => {
  const games = wanted.map(({ id, seats }) => all.test(id, () => play(id, seats)));
  await Promise.all(games);
  const ended = [...reasons].filter(([, reason]) => reason !== 'resignation').map(([id]) => id);
  all.diagnostic(`played to the end: ${ended.join(', ')}`);
  if (process.env.LONG) assert.deepEqual(ended.sort(), wanted.map(({ id }) => id).sort());
  assert.ok(ended.length > 0, 'none was played to its end');
  assert.deepEqual(world.faults, []);
});

async function play(id, seats) {
  const pair = free.pop();
  try {
    const link = await offer(pair[0], id, async (page) => {
      if (seats.max > 2) await page.locator('[name=seats]').selectOption('2');
    });
    await accept(pair[1], link);
    await meet(pair);
    await picture(pair[0], `${id}-fleet`);
    const { pathname } = new URL(pair[0].page.url());
    await playOut(pair, () => (Date.now() < until ? ALL : SOME));
    const { result } = await read(pathname.replace('/match/', '/v1/matches/'));
    reasons.set(id, result.reason);
    for (const [i, one] of pair.entries()) {
      await picture(one, `${id}-end-${i}`);
      assert.deepEqual(await unsaid(one), []);
    }
    await pair[0].page.locator('.result a').first().click();
    await pair[0].page.locator('.controls').waitFor();
    await picture(pair[0], `${id}-replay`);
  } finally {
    free.push(pair);
  }
}
