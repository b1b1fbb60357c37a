// Somebody makes a ladder and a tournament in the browser, lets people in, tells them things, and ends them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, open, picture, player, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());
const anna = await player(world, 'anna');
const bert = await player(world, 'bert', { viewport: { width: 390, height: 844 } });

/** Fills in and sends the form in which this field is. */
async function sends({ page }, field, text) {
  const form = page.locator('.runs form', { has: page.locator(`[name=${field}]`) }).first();
  await form.locator(`[name=${field}]`).fill(text);
  await form.locator('button[type=submit]').click();
}

test('a ladder is made, entered by request, and closed', async () => {
  const { page } = anna;
  await page.goto(`${url}/ladders`);
  await page.getByRole('link', { name: 'Make a ladder' }).click();
  await page.locator('[name=title]').fill('Harbour club');
  await page.locator('[name=entry]').selectOption('approval');
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
  await page.goto(address);
  await page.locator('.requests').getByRole('button', { name: 'Accept' }).click();
  await page.locator('.requests').waitFor({ state: 'detached' });
  await page.locator('details.runs > summary').click();
  await sends(anna, 'text', 'Tea at five.');
  await page.getByText('Tea at five.').first().waitFor();
  await page.locator('details.runs > summary').click();
  await picture(anna, 'ladder-run');
  assert.deepEqual(await findings(anna), []);
  await sends(anna, 'title', 'The harbour club');
  await page.getByRole('heading', { name: 'The harbour club' }).waitFor();

  await bert.page.goto(address);
  await bert.page.getByText('Tea at five.').waitFor();
  assert.equal(await bert.page.locator('details.runs').count(), 0, 'only who runs it can run it');
  await page.locator('details.runs > summary').click();
  const closing = page.locator('.runs form', { has: page.getByRole('button', { name: 'Close the ladder' }) });
  await closing.locator('[name=reason]').fill('The harbour is frozen.');
  await closing.locator('button[type=submit]').click();
  await page.locator('details.runs').waitFor({ state: 'detached' });
  assert.deepEqual(world.faults, []);
});

test('a tournament is made by invitation', async () => {
  const { page } = anna;
  await page.goto(`${url}/tournaments/new`);
  await page.locator('[name=title]').fill('Harbour cup');
  assert.equal(await page.locator('[name=rounds]').isVisible(), false, 'a round robin has as many rounds as it needs');
  await page.locator('[name=format]').selectOption('swiss');
  await page.locator('[name=rounds]').fill('3');
  await page.locator('[name=entry]').selectOption('invitation');
  await page.locator('form button[type=submit]').click();
  await page.waitForURL(/\/tournaments\/[0-9a-f-]{36}$/);
  const address = page.url();
  await page.locator('details.runs > summary').click();
  await sends(anna, 'username', bert.username);
  await page.locator('details.runs', { hasText: bert.username }).waitFor();
  await bert.page.goto(`${url}/tournaments`);
  await bert.page.getByRole('link', { name: 'Harbour cup' }).first().waitFor();
  await bert.page.goto(address);
  await bert.page.getByRole('button', { name: 'Join' }).click();
  await page.goto(address);
  await page.locator('details.runs > summary').click();
  await page.getByRole('button', { name: 'Start it' }).click();
  // Two are too few, and the page says so in the server's words.
  await page.locator('.runs .refusal').waitFor();
  await picture(anna, 'tournament-run');
  assert.deepEqual(world.faults, []);
});
