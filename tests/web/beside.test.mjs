// The parts beside a match: its clock, sounds, the way to the next one, the log in the reader's language.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accept, decide, findings, meet, offer, open, picture, player, read, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const [first] = (await read('/v1/variants?limit=1')).items;
/** @type {any[]} */
const players = [];
const matches = [];

before(async () => {
  const small = { viewport: { width: 360, height: 780 }, colorScheme: 'dark', locale: 'fr' };
  players.push(await player(world, 'right'), await player(world, 'left', small));
  for (const { page } of players)
    await page.addInitScript(() => {
      globalThis.notes = [];
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...when) {
        globalThis.notes.push(this.frequency.value);
        start.apply(this, when);
      };
    });
  // A turn of a day includes a night.
  const [{ page }] = players;
  await page.goto(`${url}/account`);
  const calendar = page.locator('form', { has: page.locator('[name=start]') });
  await calendar.locator('[name=start]').fill('22:00');
  await calendar.locator('[name=end]').fill('07:00');
  await calendar.locator('button[type=submit]').click();
  await calendar.locator('[role=status]', { hasText: /./ }).waitFor();
  for (let i = 0; i < 2; i++) {
    await accept(players[1], await offer(players[0], first.id));
    await meet(players);
    matches.push(new URL(players[0].page.url()).pathname);
  }
});

test('the rules are small boards, each with its sentence', async () => {
  for (const someone of players) {
    const { page } = someone;
    await page.locator('.help').click();
    await page.locator('.living-rules li').nth(3).waitFor();
    await picture(someone, `rules-${someone.name}`);
    assert.deepEqual(await findings(someone), []);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('dialog[open]').count(), 0);
  }
});

test('the button goes where N goes', async () => {
  const [{ page }] = players;
  await page.locator('[data-next]').click();
  await page.waitForURL(`**${matches[0]}`);
  await page.locator('main[aria-busy=false] .match .panel').waitFor();
  await page.keyboard.press('n');
  await page.waitForURL(`**${matches[1]}`);
});

test('the clock says what it does now, and until when', async () => {
  for (const someone of players) {
    const { page } = someone;
    await page.goto(url + matches[1]);
    await page.locator('.match .panel').waitFor();
    // A clock with rests shows them without being opened.
    const clock = page.locator('details.clock');
    await page.waitForFunction(() => document.querySelector('details.clock summary .muted')?.textContent !== '');
    await clock.locator('summary').click();
    await clock.locator('.segments li').first().waitFor();
    assert.equal(await clock.locator('.clock-seats > li').count(), 2);
    assert.ok((await clock.locator('.segments .runs').count()) > 0);
    assert.ok((await clock.locator('.segments .rests', { hasText: /night|nuit/ }).count()) > 0, 'the night');
    assert.ok((await clock.locator('.clock-bar .rests').count()) > 0);
    await picture(someone, 'clock');
    assert.deepEqual(await findings(someone), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is too wide');
  }
});

test('sounds are on from the first touch, until they are switched off', async () => {
  for (const someone of players) {
    await someone.page.goto(url + matches[0]);
    await someone.page.locator('.match .panel').waitFor();
  }
  const [silent, loud] = players;
  const notes = ({ page }) => page.evaluate(() => globalThis.notes.splice(0));
  await notes(silent);
  await silent.page.locator('[data-sound]').click();
  assert.equal(await silent.page.locator('[data-sound]').getAttribute('aria-pressed'), 'false');
  await loud.page.locator('.menu').click();
  await loud.page.locator('[data-sound]').focus();
  for (const on of ['false', 'true']) {
    await loud.page.keyboard.press('Space');
    assert.equal(await loud.page.locator('[data-sound]').getAttribute('aria-pressed'), on);
  }
  await picture(loud, 'sound');
  assert.deepEqual(await findings(loud), []);
  assert.ok((await notes(loud)).length > 0, 'it can be heard when it is switched on');
  await loud.page.reload();
  await loud.page.locator('.match .panel').waitFor();
  await loud.page.locator('h1').click();
  for (let shots = 0, tries = 0; shots < 4; tries++) {
    assert.ok(tries < 300, 'nobody could shoot');
    for (const [one, other] of [players, [...players].reverse()]) if (await decide(one, [other])) shots++;
    await loud.page.waitForTimeout(100); // what one has done comes to the other
  }
  // The turn's owner reaches the page a moment after the shot.
  await loud.page.waitForFunction(() => globalThis.notes.some((pitch) => pitch > 600));
  const heard = await notes(loud);
  assert.ok(
    heard.some((pitch) => pitch < 300),
    `a hit: ${heard}`,
  );
  assert.ok(
    heard.some((pitch) => pitch > 600),
    `one's turn: ${heard}`,
  );
  assert.deepEqual(await notes(silent), []);
});

test("the log and the ships have their names in the reader's language", async () => {
  for (const [someone, language] of [
    [players[0], 'en'],
    [players[1], 'fr'],
  ]) {
    const answer = await fetch(`${url}/v1/variants/${first.id}`, { headers: { 'Accept-Language': language } });
    const card = await answer.json();
    await someone.page.locator('.log li').nth(4).waitFor(); // the last shot comes to the other's page
    const lines = await someone.page.locator('.log li').allInnerTexts();
    assert.ok(!lines.some((line) => /nobody|personne/.test(line)), lines.join('\n'));
    for (const line of lines) assert.match(line, /\.$/, 'a sentence');
    const fired = language === 'fr' ? / (tire|tirez) en [A-J]\d+ et / : / fired at [A-J]\d+ and /;
    const shots = lines.filter((line) => fired.test(line));
    assert.ok(shots.length > 0, lines.join('\n'));
    const ships = await someone.page.locator('.fleet .ship-line > span:first-child').allInnerTexts();
    for (const { title } of card.classes)
      assert.ok(
        ships.some((ship) => ship.includes(title)),
        title,
      );
    await picture(someone, `log-${language}`);
  }
  assert.deepEqual(world.faults, []);
});
