// The same files on another server, with addresses after `#`: there they are an app, which a player authorizes, plays
// with, and leaves.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import {
  accept,
  decide,
  findings,
  identify,
  leaveBy,
  meet,
  offer,
  open,
  password,
  person,
  picture,
  player,
  read,
  url,
} from './driver.mjs';

const folder = new URL(`${process.env.BROADSIDE_WEB ?? '../../../../web'}/`, import.meta.url);
const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Any file server, with one line of one file changed. */
const server = createServer(async (request, response) => {
  const path = new URL(request.url ?? '/', 'http://here').pathname;
  try {
    let body = await readFile(new URL(`.${path}`, folder));
    if (path === '/app/config.js') body = Buffer.from(String(body).replace("API = ''", `API = '${url}'`));
    response.setHeader('Content-Type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
    response.end(body);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
const there = `http://127.0.0.1:${server.address().port}`;

const world = await open();
after(async () => {
  await world.browser.close();
  server.close();
});

test('files on another server are an app', async () => {
  const [game] = (await read('/v1/variants?limit=1')).items;
  const anna = await player(world, 'home');
  const afar = await person(world, 'afar');
  const { page } = afar;
  const told = new Set();
  page.on('request', (request) => {
    const sent = decodeURIComponent((request.postData() ?? '').replaceAll('+', ' '));
    if (sent.includes(password)) told.add(new URL(request.url()).origin);
  });
  afar.username = `afar${process.pid}`;
  await page.goto(`${there}/index.html#/sign-in`);
  await page.locator('[data-door=register]').waitFor();
  assert.deepEqual(await findings(afar), []);
  await picture(afar, 'elsewhere-doors');
  await leaveBy(afar, 'register');
  await identify(afar);
  // Consent: the app, the redirect, and the purpose.
  const allow = page.locator('button[value=allow]');
  await allow.waitFor();
  const asked = await page.locator('main').innerText();
  assert.ok(asked.includes(there) && asked.includes(afar.username), asked);
  assert.deepEqual(await findings(afar), []);
  await picture(afar, 'elsewhere-consent');
  await allow.click();
  await page.waitForURL(`${there}/index.html#/play`);
  await page.locator('header .who button.quiet').waitFor();
  await page.reload();
  await page.locator('header .who button.quiet').waitFor();
  // A move.
  const link = new URL(await offer(anna, game.id)).pathname;
  await accept(afar, `${there}/index.html#${link}`);
  await meet([anna, afar]);
  assert.ok(await decide(afar, [anna]));
  // Pages closed to an app are links to the service.
  await page.goto(`${there}/index.html#/account`);
  await page.locator(`a[href="${url}/account"]`).waitFor();
  assert.equal(await page.locator('[type=password]').count(), 0);
  assert.deepEqual(await findings(afar), []);
  await picture(afar, 'elsewhere-account');
  // The next token is the app's, too.
  const renewed = await page.evaluate(async () => {
    const { src } = document.querySelector('script[type=module]');
    const session = await import(src.replace('main.js', 'session.js'));
    return [await session.renew(), session.isApp(), session.me()?.username];
  });
  assert.deepEqual(renewed, [true, true, afar.username]);
  // Signed out here and on the service's page.
  await page.locator('header .who button.quiet').click();
  await page.waitForURL(`${url}/oauth/sign-out?**`);
  assert.deepEqual(await findings(afar), []);
  await picture(afar, 'elsewhere-sign-out');
  await page.locator('main form button').click();
  await page.locator(`a[href="${there}/index.html"]`).click();
  await page.waitForURL(`${there}/index.html**`);
  await page.goto(`${there}/index.html#/sign-in`);
  await leaveBy(afar, 'sign-in');
  await page.locator('[name=password]').waitFor();
  assert.deepEqual([...told], [url]);
  assert.deepEqual(world.faults, []);
});
