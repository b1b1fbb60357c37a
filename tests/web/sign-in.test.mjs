// Signing in on the service's own pages: the way there and back, attacks, and signing out.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findings, identify, leaveBy, open, password, person, picture, player, read, signIn, url } from './driver.mjs';

const world = await open();
after(() => world.browser.close());

const [game] = (await read('/v1/variants?limit=1')).items;

/** The addresses to which passwords were sent. */
const told = new Set();
/** The addresses of `POST` requests, without their queries. */
const posted = new Set();

async function someone(name, options) {
  const made = await person(world, name, options);
  made.page.on('request', (request) => {
    const path = `${new URL(request.url()).origin}${new URL(request.url()).pathname}`;
    if (request.method() === 'POST') posted.add(path);
    if (decodeURIComponent((request.postData() ?? '').replaceAll('+', ' ')).includes(password)) told.add(path);
  });
  return made;
}

const isSignedIn = ({ page }) => page.locator('header .who button.quiet').waitFor();
const signOut = async ({ page }) => {
  await page.locator('header .who button.quiet').click();
  await page.locator('header .who button.quiet').waitFor({ state: 'detached' });
};

test('one comes back to where one was, and back and reload do no harm', async () => {
  const anna = await someone('annie');
  const { page } = anna;
  anna.username = `annie${process.pid}`;
  await page.goto(`${url}/lobby/new?variant=${game.id}`);
  await leaveBy(anna, 'register');
  assert.deepEqual(await findings(anna), []);
  await picture(anna, 'register');
  await identify(anna);
  await page.waitForURL(`${url}/lobby/new?variant=${game.id}`);
  await isSignedIn(anna);
  assert.ok(!page.url().includes('code='));
  await page.reload();
  await isSignedIn(anna);
  // The page from before the answer is one of the service's, which asks before it continues.
  await page.goBack();
  await page.waitForURL('**/oauth/**');
  for (let steps = 0; steps < 3 && !page.url().startsWith(`${url}/lobby/new`); steps++) await page.goBack();
  await isSignedIn(anna);
  await page.goto(`${url}/sign-in/back`);
  await page.waitForURL('**/play');
  await signOut(anna);
  // The pages' cookie has ended as well: a password is required.
  await page.goto(`${url}/sign-in`);
  await picture(anna, 'doors');
  await leaveBy(anna, 'sign-in');
  await page.locator('[name=password]').waitFor();
  assert.deepEqual(await findings(anna), []);
  await picture(anna, 'sign-in');
  await identify(anna);
  await page.waitForURL('**/play');
});

test('a fault of the registration stands beside its field', async () => {
  for (const options of [{}, { viewport: { width: 360, height: 780 }, colorScheme: 'dark', locale: 'fr' }]) {
    const hasty = await someone('hasty', options);
    const { page } = hasty;
    await page.goto(`${url}/sign-in`);
    await leaveBy(hasty, 'register');
    await page.locator('[name=username]').fill('moderator');
    await page.locator('[name=password]').fill('12345678');
    await page.locator('main form button').first().click();
    await page.locator('#username-fault').waitFor();
    assert.equal(await page.locator('[name=username]').inputValue(), 'moderator');
    assert.equal(await page.locator('[name=username]').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await findings(hasty), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is too wide');
    await picture(hasty, `register-fault-${options.locale ?? 'en'}`);
  }
});

test('an answer that nobody here has asked for signs nobody in', async () => {
  const victim = await someone('victim');
  const { page } = victim;
  const before = [...posted].length;
  for (const forged of [
    `code=boc_${'x'.repeat(43)}&state=guessed&iss=${encodeURIComponent(url)}`,
    'error=server_error&error_description=call+555-0100&state=guessed',
  ]) {
    await page.goto(`${url}/sign-in/back?${forged}`);
    await page.locator('[role=alert]').waitFor();
    assert.equal(page.url(), `${url}/sign-in/back`);
    assert.ok(!(await page.locator('main').innerText()).includes('555'));
    assert.deepEqual(await findings(victim), []);
  }
  assert.equal([...posted].length, before, 'the code was sent nowhere');
  await picture(victim, 'forged');
  // A requested answer, but from another service.
  await leaveBy(victim, 'sign-in');
  const { searchParams } = new URL(page.url());
  const state = searchParams.get('state');
  await page.goto(`${url}/sign-in/back?code=boc_x&state=${state}&iss=https%3A%2F%2Fevil.example`);
  await page.locator('[role=alert]').waitFor();
  assert.equal([...posted].length, before, 'the code was sent nowhere');
});

test('who is on the pages still sees as whom they go on', async () => {
  const clara = await player(world, 'clara');
  const { page } = clara;
  await page.evaluate(
    () =>
      new Promise((done) => {
        const opening = indexedDB.open('broadside', 1);
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('session', 'readwrite');
          transaction.objectStore('session').delete('tokens');
          transaction.oncomplete = () => done(undefined);
        };
      }),
  );
  await page.goto(`${url}/sign-in`);
  await leaveBy(clara, 'sign-in');
  assert.ok((await page.locator('main').innerText()).includes(clara.username));
  assert.equal(await page.locator('[name=password]').count(), 0);
  assert.deepEqual(await findings(clara), []);
  await picture(clara, 'continue');
  await page.locator('[name=decision]').click();
  await page.waitForURL('**/play');
  await isSignedIn(clara);
});

test('tabs share a session, renew it one after the other, and are signed out together', async () => {
  const tabs = [await player(world, 'tabs')];
  tabs.push({ ...tabs[0], page: await tabs[0].context.newPage() });
  await tabs[1].page.goto(`${url}/play`);
  await Promise.all(tabs.map(isSignedIn));
  const renew = ({ page }) =>
    page.evaluate(async () => {
      const { src } = document.querySelector('script[type=module]');
      const session = await import(src.replace('main.js', 'session.js'));
      return [await session.renew(), await session.access()];
    });
  for (let round = 0; round < 3; round++) {
    const renewed = await Promise.all(tabs.map(renew));
    assert.deepEqual(
      renewed.map(([done]) => done),
      [true, true],
    );
  }
  await signOut(tabs[0]);
  await tabs[1].page.locator('header .who button.quiet').waitFor({ state: 'detached' });
  await signIn(tabs[1]);
  await isSignedIn(tabs[0]);
});

test('passwords were typed on the pages of the service alone', () => {
  assert.deepEqual([...told].sort(), [`${url}/oauth/register`, `${url}/oauth/sign-in`]);
  assert.deepEqual(world.faults, []);
});
