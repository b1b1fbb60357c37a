// Contests in the browser: a ladder and a tournament are created, with entries, announcements, decisions and their end.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, open, password, person, picture, player, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());
const anna = await player(world, 'anna');
const bert = await player(world, 'bert', { viewport: { width: 390, height: 844 } });

async function post(path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.status === 204 ? null : answer.json();
}

/** A player without a browser. */
async function other(name) {
  const username = `${name}${process.pid}`;
  const { access_token: token } = await post('/v1/accounts', { username, password });
  return { username, joins: (address) => post(`/v1${new URL(address).pathname}/join`, {}, token) };
}

/** Fills in and sends the form with this field. */
async function sends({ page }, field, text, part = '.runs') {
  const form = page.locator(`${part} form`, { has: page.locator(`[name=${field}]`) }).first();
  await form.locator(`[name=${field}]`).fill(text);
  await form.locator('button[type=submit]').click();
}

/** The organizers' section stays open, and shows the result. */
async function did({ page }, text) {
  await page.locator('details.runs[open] [role=status]', { hasText: text }).waitFor();
}

/** Obstacles to reading a page on a phone. */
async function narrow({ page }) {
  const broken = await page.locator('th').evaluateAll((heads) => heads.filter((head) => head.offsetHeight > 44).length);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return { broken, wide: Math.max(0, wide) };
}

test('a ladder is made, entered by request, played on, and closed', async () => {
  const { page } = anna;
  await page.goto(`${url}/ladders`);
  await page.getByRole('link', { name: 'Make a ladder' }).click();
  await page.locator('[name=title]').fill('Harbour club');
  await page.locator('[name=entry]').selectOption('approval');
  await page.locator('[name=no_return_s]').selectOption('0');
  await page.locator('[name=division_size]').fill('3');
  const makes = page.locator('form button[type=submit]');
  assert.equal(await page.locator('[name=division_size]').evaluate((field) => field.checkValidity()), false);
  await page.locator('[name=division_size]').fill('12');
  await picture(anna, 'ladder-new');
  assert.deepEqual(await findings(anna), []);
  await makes.click();
  await page.waitForURL(/\/ladders\/[0-9a-f-]{36}$/);
  const address = page.url();

  await bert.page.goto(address);
  await bert.page.getByRole('button', { name: /join/i }).click();
  await bert.page.getByText('Your request waits for an organizer.').waitFor();
  await (await other('cora')).joins(address);
  await page.goto(address);
  await page.locator('.requests').getByRole('button', { name: 'Accept' }).first().click();
  await did(anna, 'has joined.');
  await page.locator('.requests').getByRole('button', { name: 'Accept' }).click();
  await page.locator('.requests').waitFor({ state: 'detached' });
  await sends(anna, 'text', 'Tea at five.');
  await page.getByText('Tea at five.').first().waitFor();
  await did(anna, 'All members are told.');
  await sends(anna, 'title', 'The harbour club');
  await page.getByRole('heading', { name: 'The harbour club' }).waitFor();
  await picture(anna, 'ladder-run');
  assert.deepEqual(await findings(anna), []);

  // Both are waiting, so they are paired: the turn names its ladder.
  await bert.page.goto(`${url}/play`);
  await bert.page.locator('.played-for', { hasText: 'The harbour club' }).waitFor();
  await picture(bert, 'play-narrow');
  await bert.page.locator('.played-for a').click();
  await bert.page.getByText('Tea at five.').waitFor();
  assert.deepEqual(await narrow(bert), { broken: 0, wide: 0 });
  await picture(bert, 'ladder-narrow');
  assert.equal(await bert.page.locator('details.runs').count(), 0, 'only who runs it can run it');
  await bert.page.locator('.pairings').getByRole('link', { name: 'being played' }).click();
  await bert.page.locator('.match .played-for', { hasText: 'The harbour club' }).waitFor();
  assert.equal(await bert.page.locator('details.judge').count(), 0, 'only who runs it judges');

  await page.goto(address);
  await page.locator('details.runs > summary').click();
  const closing = page.locator('.runs form', { has: page.getByRole('button', { name: 'Close the ladder' }) });
  await closing.locator('[name=reason]').fill('The harbour is frozen.');
  await closing.locator('button.sure').click();
  await page.locator('details.runs').waitFor({ state: 'detached' });
  assert.deepEqual(world.faults, []);
});

test('a private tournament is made by invitation, played, and decided by who runs it', async () => {
  const { page } = anna;
  await page.goto(`${url}/tournaments/new`);
  await page.locator('[name=title]').fill('Harbour cup');
  const hidden = async (name) => !(await page.locator(`[name=${name}]`).isVisible());
  assert.ok(await hidden('rounds'), 'a round robin has as many rounds as it needs');
  const games = () => page.locator('[name=variant] option').allTextContents();
  const forTwo = await games();
  await page.locator('[name=format]').selectOption('tables');
  assert.ok((await games()).length < forTwo.length, 'not every game can be played at tables');
  await page.locator('[name=format]').selectOption('swiss');
  assert.ok((await hidden('seats')) && (await hidden('best_of')) && !(await hidden('review_s')));
  await page.locator('[name=rounds]').fill('3');
  await page.locator('[name=byes]').selectOption('1');
  await page.locator('[name=review_s]').selectOption('3600');
  await page.locator('[name=round_days]').fill('7');
  await page.locator('[name=entry]').selectOption('invitation');
  await page.locator('[name=visibility]').selectOption('private');
  // An error is shown once, at its field, and without its JSON pointer.
  await page.locator('[name=max_players]').fill('3');
  await page.locator('form button[type=submit]').click();
  const said = page.locator('.field', { has: page.locator('[name=rounds]') }).locator('.refusal');
  await said.waitFor();
  assert.equal(await page.locator('main .refusal').count(), 1);
  assert.doesNotMatch(await said.innerText(), /[/`]/);
  await picture(anna, 'tournament-new');
  await page.locator('[name=max_players]').fill('');
  await page.locator('form button[type=submit]').click();
  await page.waitForURL(/\/tournaments\/[0-9a-f-]{36}$/);
  const address = page.url();

  // A player without an invitation learns no more than that.
  const stranger = await person(world, 'stranger');
  await stranger.page.goto(address);
  await stranger.page.getByRole('heading', { name: 'There is no such tournament, or it is private' }).waitFor();
  const way = await stranger.page.locator('main a', { hasText: 'Sign in' }).getAttribute('href');
  assert.equal(way, `/sign-in?then=${encodeURIComponent(new URL(address).pathname)}`);
  await picture(stranger, 'tournament-unseen');
  await stranger.context.close();

  const [cora, dora] = [await other('dana'), await other('dora')];
  await page.locator('details.runs > summary').click();
  for (const { username } of [bert, cora, dora]) {
    await sends(anna, 'username', username);
    await did(anna, `${username} is invited.`);
  }
  await bert.page.goto(`${url}/play`);
  const invitation = bert.page.locator('.invitations', { hasText: 'Harbour cup' });
  await invitation.waitFor();
  await picture(bert, 'play-invited');
  await invitation.getByRole('button', { name: 'Join' }).click();
  await invitation.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Start it' }).click();
  // One is too few, and the page shows the server's message.
  await page.locator('.runs .refusal').waitFor();
  await cora.joins(address);
  await dora.joins(address);

  // The boards appear by themselves once the round is started: one game, and a bye for a point.
  await page.getByRole('button', { name: 'Start it' }).click();
  await did(anna, 'It starts.');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByRole('button', { name: 'Let the round begin' }).click();
  await page.locator('.round', { hasText: 'Bye · 1 point' }).waitFor();
  const game = page.locator('.round').getByRole('link', { name: 'being played' });
  await game.waitFor();
  assert.match(await page.locator('.round .due').innerText(), /^The time of this round is over/);
  await sends(anna, 'board', '1');
  const longer = page.locator('.runs form', { has: page.locator('[name=board]') });
  await longer.locator('[name=reason]').fill('Ice in the harbour.');
  await longer.locator('button[type=submit]').click();
  await did(anna, 'Round 1 lasts longer.');
  await sends(anna, 'username', bert.username, '.organizers');
  await did(anna, `${bert.username} runs it with you.`);
  await picture(anna, 'tournament-run');
  assert.deepEqual(await findings(anna), []);

  await game.click();
  await page.locator('.match .played-for', { hasText: /Harbour cup · Round 1 · until/ }).waitFor();
  await page.locator('details.clock > summary').click();
  await page.locator('details.clock', { hasText: 'The time of this round is over' }).waitFor();
  await page.locator('details.judge > summary').click();
  const time = page.locator('.judge form', { has: page.locator('[name=seconds]') });
  await time.locator('[name=reason]').fill('A storm.');
  await time.locator('button[type=submit]').click();
  await page.locator('details.judge[open] [role=status]').waitFor();
  await picture(anna, 'match-judge');
  assert.deepEqual(await findings(anna), []);
  // Bert is an organizer too, but plays, so the page offers nothing that would be refused.
  await bert.page.goto(address);
  await bert.page.locator('details.runs > summary').click();
  await bert.page.locator('.organizers', { hasText: 'You play.' }).waitFor();
  assert.equal(await bert.page.getByRole('button', { name: 'Pause it' }).count(), 0);

  const verdict = page.locator('.judge form', { has: page.locator('[name=verdict]') });
  await verdict.locator('[name=verdict]').selectOption('0');
  await verdict.locator('[name=reason]').fill('The second player has left.');
  await verdict.locator('button[type=submit]').click();
  await page.locator('.result').waitFor();

  await bert.page.goto(address);
  const score = bert.page.locator('.round').getByRole('link', { name: /^(1–0|0–1)$/ });
  await score.waitFor();
  assert.deepEqual(await narrow(bert), { broken: 0, wide: 0 });
  await picture(bert, 'tournament-narrow');
  assert.deepEqual(await findings(bert), []);
  assert.deepEqual(world.faults, []);
});
