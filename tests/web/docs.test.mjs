// The guide and the reference at /docs: accessible, in both themes, small, and sufficient for a first request.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, open, person, picture, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const wide = { viewport: { width: 1280, height: 900 } };
const narrow = { viewport: { width: 360, height: 780 }, colorScheme: 'dark' };

const tooWide = ({ page }) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

/** Faults of the current page. */
async function look(someone, name) {
  await picture(someone, `docs-${name}-${someone.name}`);
  const found = await findings(someone);
  if (await tooWide(someone)) found.push('too wide');
  return found.map((what) => `${name} for ${someone.name}: ${what}`);
}

/** Opens the reference, and waits for its operations. */
async function reference({ page }, hash = '') {
  await page.goto(`${url}/docs/reference${hash}`);
  await page.locator('#operations:not([aria-busy])').waitFor();
}

test('every chapter is there, and the forms that they have can be read by everybody', async () => {
  const found = [];
  for (const [name, options] of Object.entries({ wide, narrow })) {
    const someone = await person(world, name, options);
    await someone.page.goto(`${url}/docs/`);
    const links = await someone.page.locator('main a').evaluateAll((all) => all.map((one) => one.href));
    const chapters = [...new Set(links)].filter((link) => link.startsWith(`${url}/docs/`));
    assert.ok(chapters.length > 20, 'the list has the chapters');
    for (const chapter of chapters) {
      const answer = await someone.page.goto(chapter);
      assert.equal(answer.status(), 200, chapter);
      if (await tooWide(someone)) found.push(`${chapter} is too wide for ${name}`);
    }
    // The list; code and lists; tables, headings and anchors.
    for (const page of ['', 'webhooks', 'ratings']) {
      await someone.page.goto(`${url}/docs/${page}`);
      found.push(...(await look(someone, page || 'guide')));
    }
  }
  assert.deepEqual(found, []);
});

test('the reference is there at once, folded, and can be used by everybody', async () => {
  const found = [];
  for (const [name, options] of Object.entries({ wide, narrow })) {
    const someone = await person(world, name, options);
    await reference(someone);
    assert.ok((await someone.page.locator('.operation').count()) > 100);
    assert.equal(await someone.page.locator('.operation[open]').count(), 0, 'nothing is open');
    found.push(...(await look(someone, 'reference')));
    await reference(someone, '#submit_action');
    await someone.page.locator('#submit_action[open] .try').waitFor();
    for (const more of await someone.page.locator('#submit_action .more > summary').all()) await more.click();
    found.push(...(await look(someone, 'operation')));
  }
  assert.deepEqual(found, []);
});

test('it is light, and shows something within a second', async () => {
  const { page } = await person(world, 'hasty', wide);
  await reference({ page });
  const [paint, bytes] = await page.evaluate(() => {
    const first = performance.getEntriesByName('first-contentful-paint')[0];
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return [first?.startTime ?? Infinity, all.reduce((sum, one) => sum + one.transferSize, 0)];
  });
  console.log(`first content after ${Math.round(paint)} ms, ${bytes} bytes in all`);
  assert.ok(paint < 1000, `first content after ${paint} ms`);
  assert.ok(bytes > 50_000 && bytes < 300_000, `${bytes} bytes`);
});

test('a search finds an operation by a word, a path or a code', async () => {
  const someone = await person(world, 'seeker', wide);
  await reference(someone);
  const shown = someone.page.locator('.operation:not([hidden])');
  for (const [words, id] of [
    ['submit action', 'submit_action'],
    ['/v1/turns', 'list_turns'],
    ['webhook rotate', 'rotate_webhook_secret'],
  ]) {
    await someone.page.locator('#search').fill(words);
    assert.ok((await shown.evaluateAll((all) => all.map((one) => one.id))).includes(id), words);
    assert.ok((await shown.count()) < 20, words);
  }
  await someone.page.locator('#search').fill('nothingofthiskind');
  assert.equal(await shown.count(), 0);
  await someone.page.locator('#search').fill('list turns');
  await someone.page.locator('#search').press('Enter');
  await someone.page.locator('#list_turns[open]').waitFor();
});

test('a request is tried with a token that the page gets by itself', async () => {
  const someone = await person(world, 'tester', wide);
  const { page } = someone;
  await reference(someone, '#get_account');
  const form = page.locator('#get_account .try');
  await form.locator('button.primary').click();
  await form.getByText(/^401 /).waitFor();

  await page.locator('#session summary').click();
  await page.getByRole('button', { name: 'Make an account for trying' }).click();
  const name = await page.locator('#session strong').innerText();
  await form.locator('button.primary').click();
  await form.getByText(/^200 /).waitFor();
  assert.match(await form.innerText(), new RegExp(`"username": "${name}"`));

  await reference(someone, '#check_rule_set');
  assert.equal(await page.locator('#session strong').innerText(), name, 'the tab keeps it');
  const check = page.locator('#check_rule_set .try');
  assert.match(await check.locator('pre').first().innerText(), /^curl .*-d '{/s);
  await check.locator('button.primary').click();
  await check.getByText(/^200 /).waitFor();
  await picture(someone, 'docs-tried-tester');

  const other = await person(world, 'other', wide);
  await reference(other);
  assert.equal(await other.page.locator('#session strong').count(), 0, 'another tab is nobody');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#session summary').waitFor();

  // A new account comes with a token: no password is typed here.
  await page.locator('#session summary').click();
  const door = page.locator('#session form');
  await door.locator('[name=token]').fill('bst_invented');
  await door.locator('button').click();
  await page.locator('#session .refusal').waitFor();
  const body = JSON.stringify({ username: `owner${process.pid}`, password: 'three masts and a storm' });
  const headers = { 'Content-Type': 'application/json' };
  const owner = await (await fetch(`${url}/v1/accounts`, { method: 'POST', headers, body })).json();
  await door.locator('[name=token]').fill(owner.access_token);
  await door.locator('button').click();
  await page.getByText(`owner${process.pid}`).waitFor();
  assert.equal(await page.locator('[name=password]').count(), 0);
});

test('nothing comes from elsewhere, and the policy holds', async () => {
  assert.deepEqual(
    [...world.requests].filter((one) => !one.includes(url)),
    [],
  );
  assert.deepEqual(world.faults, []);
});
