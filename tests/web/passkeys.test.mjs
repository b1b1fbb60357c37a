// Passkeys: added and removed on the account's page, used on the service's own sign-in page. Chromium's virtual
// authenticator is the phone.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { findings, open, person, picture, player, url } from './driver.mjs';

const PASSWORD = 'three masts and a storm';
const world = await open();
after(() => world.browser.close());

// Browsers support passkeys for host names, not for IP addresses.
const skip = /^[\d.]+$|^\[/.test(new URL(url).hostname) && 'the service is reached by an IP address';

/** A phone, which asks for a fingerprint and gets it. */
async function phone({ context, page }) {
  const client = await context.newCDPSession(page);
  await client.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  };
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', { options });
  return {
    keys: async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    knows: (isUserVerified) => client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

const section = (page) => page.locator('section.part', { has: page.locator('h2', { hasText: /^Passkeys$/ }) });

/** Adds a passkey on the account's page. */
async function add({ page }, name) {
  await page.goto(`${url}/account`);
  const fold = section(page).locator('> details');
  await fold.locator('summary').click();
  await fold.locator('[name=name]').fill(name);
  await fold.locator('[name=current_password]').fill(PASSWORD);
  await fold.locator('button[type=submit]').click();
  await section(page).locator('li', { hasText: name }).waitFor();
}

const button = (page) => page.locator('form.passkey button');

async function post(path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}

/** The current six digits (RFC 6238). */
function digits(secret) {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      .map((byte) => Number.parseInt(byte, 2)),
  );
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac('sha1', key).update(step).digest();
  const code = (hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff) % 1_000_000;
  return String(code).padStart(6, '0');
}

test('a passkey is added, signs in, and is removed', { skip }, async () => {
  const anna = await player(world, 'anna');
  const { page, context } = anna;
  const hers = await phone(anna);
  await add(anna, 'my phone');
  await picture(anna, 'passkeys-account');
  assert.deepEqual(await findings(anna), []);
  const [key] = await hers.keys();
  assert.equal(key.rpId, new URL(url).hostname);
  assert.equal(key.isResidentCredential, true);
  // On the service's page, without a name.
  await page.goto(`${url}/oauth/sign-in`);
  await button(page).waitFor();
  await picture(anna, 'passkeys-sign-in');
  assert.deepEqual(await findings(anna), []);
  await button(page).click();
  await page.waitForURL('**/oauth/apps');
  assert.ok((await page.locator('main').innerText()).includes(anna.username));
  // A phone that doesn't verify its user can't sign in.
  await context.clearCookies();
  await hers.knows(false);
  await page.goto(`${url}/oauth/sign-in`);
  await button(page).click();
  await page.locator('form.passkey [role=alert]', { hasText: 'No passkey was used.' }).waitFor();
  assert.equal((await context.cookies()).length, 0);
  await hers.knows(true);
  // Renamed and removed.
  await page.goto(`${url}/account`);
  const mine = section(page).locator('li');
  await mine.locator('summary').click();
  await mine.locator('[name=name]').fill('the old phone');
  await mine.locator('button', { hasText: 'Rename it' }).click();
  await section(page).locator('li b', { hasText: 'the old phone' }).waitFor();
  await mine.locator('summary').click();
  await mine.locator('[name=current_password]').fill(PASSWORD);
  await mine.locator('button', { hasText: 'Remove it' }).click();
  await mine.waitFor({ state: 'detached' });
  await page.goto(`${url}/oauth/sign-in`);
  await button(page).click();
  await page.locator('.wrong', { hasText: 'This passkey is not good here' }).first().waitFor();
  assert.equal((await context.cookies()).length, 0);
});

test('after a password it takes the place of a code', { skip }, async () => {
  const bert = await player(world, 'bert');
  const { page } = bert;
  await phone(bert);
  await add(bert, 'my laptop');
  const credentials = { username: bert.username, password: PASSWORD };
  const { access_token: token } = await post('/v1/sessions', credentials);
  const { secret } = await post('/v1/account/second-factor', { current_password: PASSWORD }, token);
  const { recovery_codes: codes } = await post('/v1/account/second-factor/confirm', { code: digits(secret) }, token);
  assert.equal(codes.length, 10);
  await page.goto(`${url}/oauth/sign-in`);
  await page.locator('[name=username]').fill(bert.username);
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('form:not(.passkey) button').click();
  await page.locator('[name=code]').waitFor();
  await picture(bert, 'passkeys-second-factor');
  assert.deepEqual(await findings(bert), []);
  await button(page).click();
  await page.waitForURL('**/oauth/apps');
  assert.ok((await page.locator('main').innerText()).includes(bert.username));
});

test('a guest keeps the account with one, and sets a password with it', { skip }, async () => {
  const gil = await person(world, 'gil');
  const { page } = gil;
  await phone(gil);
  const username = `gil${process.pid}`;
  await page.goto(`${url}/sign-in`);
  const door = page.locator('.doors form').last();
  await door.locator('[name=username]').fill(username);
  await door.locator('button[type=submit]').click();
  await page.waitForURL('**/play');
  await page.goto(`${url}/account`);
  const fold = page.locator('details', { hasText: 'Or keep it with a passkey' });
  await fold.locator('summary').click();
  await picture(gil, 'passkeys-guest');
  assert.deepEqual(await findings(gil), []);
  await fold.locator('[name=name]').fill('my phone');
  await fold.locator('button[type=submit]').click();
  const part = page.locator('section.part', { hasText: 'This account has no password' });
  await part.waitFor();
  await picture(gil, 'passkeys-no-password');
  assert.deepEqual(await findings(gil), []);
  await part.locator('[name=next]').fill(PASSWORD);
  await part.locator('button').click();
  await part.waitFor({ state: 'detached' });
  const session = await post('/v1/sessions', { username, password: PASSWORD });
  assert.equal(session.account.guest, false);
});

test('without script the page works as before', { skip }, async () => {
  const carl = await player(world, 'carl');
  const plain = await person(world, 'plain', { javaScriptEnabled: false, locale: 'fr' });
  await plain.page.goto(`${url}/oauth/sign-in`);
  assert.equal(await button(plain.page).isVisible(), false);
  await plain.page.locator('[name=username]').fill(carl.username);
  await plain.page.locator('[name=password]').fill(PASSWORD);
  await plain.page.locator('form:not(.passkey) button').click();
  await plain.page.waitForURL('**/oauth/apps');
});

test('the pages complained about nothing', { skip }, () => {
  assert.deepEqual(world.faults, []);
});
