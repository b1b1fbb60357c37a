// Every page: no complaint from axe, in both themes, wide and narrow; and only operations of the contract.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  accept,
  findings,
  meet,
  offer,
  open,
  password,
  person,
  picture,
  player,
  playOut,
  read,
  signIn,
  url,
} from './driver.mjs';

const world = await open();
after(() => world.browser.close());

/** @type {any} */
let anna;
/** @type {any} */
let bert;
let match = '';
let link = '';
const [first] = (await read('/v1/variants?limit=1')).items;

before(async () => {
  anna = await player(world, 'anna');
  bert = await player(world, 'bert', { viewport: { width: 360, height: 780 }, colorScheme: 'dark', locale: 'fr' });
  link = await offer(anna, first.id);
  await accept(bert, link);
  await meet([anna, bert]);
  match = new URL(anna.page.url()).pathname;
});

async function look(someone, path) {
  await someone.page.goto(url + path);
  await someone.page.locator('main[aria-busy=false] h1').waitFor();
  await picture(someone, `page${path.replaceAll(/[^a-z]+/gi, '-')}-${someone.name}`);
  const found = await findings(someone);
  const wide = await someone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) found.push(`${wide} px too wide`);
  return found.map((what) => `${path} for ${someone.name}: ${what}`);
}

test('every page can be used by everybody', async () => {
  const stranger = await person(world, 'stranger');
  const paths = [
    '/',
    '/play',
    '/lobby',
    '/lobby/new',
    '/variants',
    `/variants/${first.id}`,
    '/ladders',
    '/tournaments',
    '/leaderboards',
    '/account',
    '/sign-in',
    `/players/${anna.username}`,
    new URL(link).pathname,
    match,
  ];
  const found = [];
  for (const path of paths) for (const someone of [stranger, anna, bert]) found.push(...(await look(someone, path)));
  assert.deepEqual(found, []);
});

test('a page whose program does not come says so after a while', async () => {
  const { page } = await person(world, 'stranger');
  await page.route('**/main.js', (route) => route.abort());
  await page.goto(url);
  const late = page.locator('.late');
  assert.equal(await late.isVisible(), false);
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
  assert.ok(await late.isVisible());
  await page.unroute('**/main.js');
  await page.reload();
  await page.locator('main[aria-busy=false] h1').waitFor();
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
  assert.equal(await late.isVisible(), false);
});

test('a match and its replay can be used by everybody', async () => {
  for (const someone of [anna, bert]) await someone.page.goto(url + match);
  await meet([anna, bert]);
  await playOut([anna, bert], 4);
  const found = [];
  for (const path of [match, `${match}/replay`])
    for (const someone of [anna, bert]) found.push(...(await look(someone, path)));
  assert.deepEqual(found, []);
});

test('the record of a match is checked on its page, in English and in French', async () => {
  for (const [someone, text] of [
    [anna, { button: 'Check this record', verdict: 'The record holds', part: 'What it does not prove' }],
    [bert, { button: 'Vérifier ce procès-verbal', verdict: 'Le procès-verbal tient', part: 'Ce qu’il ne prouve pas' }],
  ]) {
    const { page } = someone;
    await page.goto(`${url + match}/replay`);
    await page.getByRole('button', { name: text.button }).click();
    await page.locator('.verdict', { hasText: text.verdict }).waitFor();
    await page.locator('.verdict h3', { hasText: text.part }).waitFor();
    await picture(someone, `record-checked-${someone.name}`);
    assert.deepEqual(await findings(someone), []);
  }
});

/** A cold load: bytes transferred, time of the first paint, and layout shift. */
async function load(someone, path) {
  const { page, context } = someone;
  await page.addInitScript(() => {
    globalThis.jumps = [];
    const note = (list) => {
      for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.jumps.push(one.value);
    };
    new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true });
  });
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  let bytes = 0;
  wire.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(url + path);
  await page.locator('main[aria-busy=false] h1').waitFor();
  // A match page polls continuously.
  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {});
  await page.waitForTimeout(1000); // pictures that move go on
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  const jumped = await page.evaluate(() => globalThis.jumps.reduce((sum, value) => sum + value, 0));
  return { bytes, paint, jumped };
}

test('the first page is small, soon there, and stands still', async (t) => {
  const seen = [];
  // The other tests may keep the machine busy: one load of several must be in time.
  for (let tries = 0; tries < 5 && !(seen.at(-1)?.paint < 1000); tries++) {
    const someone = await person(world, 'newcomer', {
      viewport: { width: 390, height: 844 },
      reducedMotion: 'no-preference',
    });
    seen.push(await load(someone, '/'));
    await someone.context.close();
  }
  t.diagnostic(JSON.stringify(seen));
  for (const { bytes, jumped } of seen) {
    assert.ok(bytes > 10_000 && bytes < 225_000, `${bytes} bytes`);
    assert.ok(jumped < 0.1, `jumped by ${jumped}`);
  }
  assert.ok(seen.at(-1).paint < 1000, `painted after ${seen.map(({ paint }) => Math.round(paint)).join(', ')} ms`);
});

test('no page jumps while it is loaded', async (t) => {
  for (const path of ['/lobby', '/variants', `/variants/${first.id}`, match, `/players/${anna.username}`]) {
    const someone = await person(world, 'visitor');
    const { jumped } = await load(someone, path);
    t.diagnostic(`${path}: ${jumped}`);
    assert.ok(jumped < 0.1, `${path} jumped by ${jumped}`);
    await someone.context.close();
  }
});

test('the pages ask for operations of the contract only', async () => {
  const contract = await read('/openapi.json');
  const known = Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) =>
        new RegExp(`^${method.toUpperCase()} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    ),
  );
  const asked = [...world.requests]
    .map((request) => request.split(' '))
    .map(([method, address]) => `${method} ${new URL(address).pathname}`);
  const api = asked.filter((one) => one.includes(' /v1/'));
  assert.ok(api.length > 20, 'the pages asked for something');
  assert.deepEqual(
    api.filter((one) => !known.some((pattern) => pattern.test(one))),
    [],
  );
  // Besides these there are the OAuth metadata and the OAuth pages, which are opened by people and not requested by
  // scripts.
  const said = await read('/.well-known/oauth-authorization-server');
  const endpoints = Object.values(said).map((value) => String(value).replace(url, ''));
  const pages = ['/oauth/register', '/oauth/sign-in'];
  assert.deepEqual(
    asked
      .filter((one) => one.includes(' /oauth'))
      .map((one) => one.split(' ')[1])
      .filter((path) => !endpoints.includes(path) && !pages.includes(path)),
    [],
  );
  assert.deepEqual(
    [...world.requests].filter((one) => !one.includes(url) && !one.includes(' blob:')),
    [],
    'nothing comes from elsewhere',
  );
  assert.deepEqual(world.faults, []);
});

test('a guest plays, and keeps the account', async () => {
  const guest = await person(world, 'guest');
  const { page } = guest;
  guest.username = `stowaway${process.pid}`;
  await page.goto(`${url}/sign-in`);
  const form = page.locator('.doors form').last();
  await form.locator('[name=username]').fill(guest.username);
  await form.locator('button[type=submit]').click();
  await page.waitForURL('**/play');
  const found = [...(await look(guest, '/account')), ...(await look(guest, `/lobby/new?variant=${first.id}`))];
  assert.deepEqual(found, []);
  assert.equal(await page.locator('[name=rated] option').count(), 1);
  await accept(guest, await offer(anna, first.id));
  await meet([anna, guest]);
  assert.equal(await page.locator('form [name=text]').count(), 0, 'guests read the chat');
  await page.goto(`${url}/account`);
  await page.locator('[name=password]').fill(password);
  await page.locator('.parts form button[type=submit]').first().click();
  await page.locator('[name=current]').first().waitFor();
  await page.locator('header button.quiet').click();
  await page.waitForURL(`${url}/`);
  await signIn(guest);
});
