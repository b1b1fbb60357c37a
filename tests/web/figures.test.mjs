// Statistics on a profile: results by game for everybody, shots for the owner only.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accept, findings, meet, offer, open, person, picture, player, playOut, read, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const { items } = await read('/v1/variants?limit=100');
/** @type {any[]} */
const players = [];
const matches = [];

before(async () => {
  const small = { viewport: { width: 360, height: 780 }, colorScheme: 'dark', locale: 'fr' };
  players.push(await player(world, 'shooter'), await player(world, 'target', small));
  for (const { id } of items.slice(0, 2)) {
    await accept(players[1], await offer(players[0], id));
    await meet(players);
    await playOut(players, 16);
    matches.push(new URL(players[0].page.url()).pathname.replace('/match/', '/v1/matches/'));
  }
});

async function profile(someone, whose) {
  await someone.page.goto(`${url}/players/${whose.username}`);
  await someone.page.locator('main[aria-busy=false] h1').waitFor();
}

test('everybody sees what was won and lost, by game', async () => {
  const stranger = await person(world, 'stranger');
  const views = await Promise.all(matches.map(read));
  for (const [i, whose] of players.entries()) {
    const won = views.filter(
      (view) => view.seats.find(({ seat }) => seat === view.result.winner).player.username === whose.username,
    );
    await profile(stranger, whose);
    const rows = await stranger.page.locator('.figures tbody tr').allInnerTexts();
    assert.equal(rows.length, 2);
    const counts = rows.map((row) => row.split('\t').slice(1, 4).map(Number));
    assert.equal(
      counts.reduce((sum, [wins]) => sum + wins, 0),
      won.length,
    );
    assert.equal(
      counts.flat().reduce((sum, count) => sum + count),
      2,
      `the matches of ${i}`,
    );
    assert.equal(await stranger.page.locator('.own-shots').count(), 0, 'the shots are for their owner');
  }
});

test("one's own shots are counted from the records, and drawn", async () => {
  for (const someone of players) {
    await profile(someone, someone);
    await someone.page.locator('.own-shots button').click();
    await someone.page.locator('.tally').nth(1).waitFor();
    // The owner's shots, counted from the matches' reports.
    let [shots, struck] = [0, 0];
    for (const path of matches) {
      const view = await read(path);
      const { seat } = view.seats.find(({ player: { username } }) => username === someone.username);
      const { items: reports } = await read(`${path}/reports?after=0&limit=1000`);
      for (const { shots: own, hits } of reports.filter((report) => report.seat === seat && report.shots)) {
        shots += own.length;
        struck += hits ?? own.filter(({ answer }) => ['hit', 'sunk'].includes(answer)).length;
      }
    }
    const facts = await someone.page
      .locator('.tally')
      .evaluateAll((all) =>
        all.map((one) => [...one.querySelectorAll('dd')].map((fact) => Number.parseInt(fact.textContent) || 0)),
      );
    assert.equal(
      facts.reduce((sum, fact) => sum + fact[1], 0),
      shots,
    );
    assert.equal(
      facts.reduce((sum, fact) => sum + fact[3], 0),
      struck,
    );
    const drawn = await someone.page
      .locator('.heat-map')
      .evaluateAll((maps) =>
        maps.flatMap((map) => [...map.querySelectorAll('g > text')].map((text) => Number(text.textContent))),
      );
    assert.equal(
      drawn.reduce((sum, count) => sum + count, 0),
      shots,
    );
    await picture(someone, 'figures');
    assert.deepEqual(await findings(someone), []);
    assert.ok(await someone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is too wide');
  }
  assert.deepEqual(world.faults, []);
});
