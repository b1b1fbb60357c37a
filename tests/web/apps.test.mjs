// Registered apps: registered, changed and deleted on the account's page, with their owner shown on the service's own
// page. And the QR code of a second factor's secret.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, open, picture, player, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const NAME = `Chart ${process.pid}`;

test('an app for others is registered, changed and deleted', async () => {
  const anna = await player(world, 'anna');
  const { page } = anna;
  await page.goto(`${url}/account`);
  await page.getByText('Register an app', { exact: true }).first().click();
  const form = page.locator('form:has([name=redirect_uris])').last();
  await form.locator('[name=name]').fill('Broadside');
  await form.locator('[name=homepage]').fill('https://chart.example/');
  await form.locator('[name=redirect_uris]').fill('https://chart.example/back\nhttp://127.0.0.1/back');
  await form.locator('button[type=submit]').click();
  await form.locator('[name=name][aria-invalid=true]').waitFor();
  await form.locator('[name=name]').fill(NAME);
  await form.locator('button[type=submit]').click();
  const item = page.locator(`li:has(b:text-is("${NAME}"))`);
  const client = (await item.locator('code').first().textContent()) ?? '';
  assert.match(client, /^registered-/);
  await item.locator('summary').click();
  await item.locator('[name=description]').fill('Draws what you know of the sea.');
  await picture(anna, 'registered-app');
  assert.deepEqual(await findings(anna), []);
  const saved = page.waitForResponse(
    (one) => one.request().method() === 'PATCH' && /registered-apps\//.test(one.url()),
  );
  await item.locator('button[type=submit]').click();
  assert.equal((await saved).status(), 200);
  const said = await page.request.get(`${url}/oauth/apps/${client}`);
  const text = await said.text();
  assert.ok(text.includes(`Registered by <b>${anna.username}</b>`) && text.includes('Draws what you know'), text);
  await page.goto(`${url}/oauth/apps/${client}`);
  await picture(anna, 'about-an-app');
  assert.deepEqual(await findings(anna), []);
  await page.goto(`${url}/account`);
  page.on('dialog', (dialog) => dialog.accept());
  await item.locator('summary').click();
  await item.getByText('Delete the app').click();
  await item.waitFor({ state: 'detached' });
  assert.equal((await page.request.get(`${url}/oauth/apps/${client}`)).status(), 404);
  assert.deepEqual(world.faults, []);
});

test('the secret of a second factor is shown as a picture', async () => {
  const bert = await player(world, 'bert');
  const { page } = bert;
  await page.goto(`${url}/account`);
  const form = page.locator('form:has(button:text-is("Set up a second factor"))');
  await form.locator('[name=password]').fill('three masts and a storm');
  await form.locator('button[type=submit]').click();
  const image = page.locator('img[src^="blob:"]');
  await image.waitFor();
  await page.waitForFunction(() => (document.querySelector('img[src^="blob:"]')?.naturalWidth ?? 0) > 100);
  await image.scrollIntoViewIfNeeded();
  await picture(bert, 'second-factor');
  assert.deepEqual(await findings(bert), []);
  assert.deepEqual(world.faults, []);
});
