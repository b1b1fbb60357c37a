// Drives the pages as people do: it clicks marked elements, and knows no game.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';

export const url = process.env.BROADSIDE_URL ?? 'http://127.0.0.1:8080';
export const pictures = process.env.BROADSIDE_PICTURES ?? '';
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The API's answer, with retries: it may be busy with three test files and their browsers at once. */
export async function read(path) {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url + path);
    if (answer.ok) return answer.json();
    if (answer.status !== 503 || tries > 9) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await pause(1000 * Number(answer.headers.get('Retry-After') ?? 1));
  }
}

/** A browser that records the pages' errors and requests. */
export async function open() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  return { browser, faults: [], requests: new Set() };
}

let people = 0;

/** A person with a separate window. */
export async function person(world, name, options = {}) {
  const context = await world.browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en',
    reducedMotion: 'reduce',
    serviceWorkers: 'block', // a test sees no request of a page that a worker serves
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => world.faults.push(`${name}: ${error.stack}`));
  page.on('console', (message) => {
    const text = message.text();
    // The browser's own line about a problem answer; the page shows the problem.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
      world.faults.push(`${name}: ${text}`);
  });
  page.on('request', (request) => world.requests.add(`${request.method()} ${request.url()}`));
  return { name, page, context };
}

export const password = 'three masts and a storm';

/** Goes to the service's page by a button of the current page. */
export async function leaveBy({ page }, door) {
  await page.locator(`[data-door=${door}]`).click();
  await page.waitForURL('**/oauth/**');
}

/** Fills in the form of the current service page, to sign in or to register. */
export async function identify({ page, username }) {
  await page.locator('[name=username]').fill(username);
  await page.locator('[name=password]').fill(password);
  await page.locator('main form button').first().click();
}

/** Registers on the service's page, through the link to it. */
export async function register(someone) {
  const { page } = someone;
  someone.username = `${someone.name}${process.pid}x${++people}`;
  await page.goto(`${url}/sign-in`);
  await leaveBy(someone, 'register');
  await identify(someone);
  await page.waitForURL('**/play');
  return someone;
}

/** Signs in on the page. */
export async function signIn(someone) {
  await someone.page.goto(`${url}/sign-in`);
  await leaveBy(someone, 'sign-in');
  await identify(someone);
  await someone.page.waitForURL('**/play');
}

export async function player(world, name, options) {
  return register(await person(world, name, options));
}

/** Offers a game with the page's form; `fill` changes the form before it is sent. Returns the link. */
export async function offer({ page }, variant, fill = async () => {}) {
  await page.goto(`${url}/lobby/new?variant=${variant}`);
  await page.locator('form [name=variant]').waitFor();
  await page.locator('[name=visibility]').selectOption('link');
  await fill(page);
  await page.locator('form button[type=submit]').click();
  await page.waitForURL('**/challenge/*');
  return page.url();
}

/** Takes a seat through the link. */
export async function accept({ page }, link) {
  await page.goto(link);
  await page.locator('.doing button.primary').click();
}

/** Waits until all of them are in the match. */
export async function meet(players) {
  await Promise.all(players.map(({ page }) => page.waitForURL('**/match/*')));
  await Promise.all(players.map(({ page }) => page.locator('.match .panel').waitFor()));
}

const over = ({ page }) => page.locator('.result').count();

/** Clicks a cell of the current sea, in one step: boards are redrawn all the time. */
function click(page, labels) {
  return page.evaluate((wanted) => {
    const cells = [...document.querySelectorAll('.sea-frame.active [data-cell]')];
    const cell = wanted.map((label) => cells.find((one) => one.dataset.cell === label)).find(Boolean);
    cell?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    return !!cell;
  }, labels);
}

/** The cells that may be chosen now: those with ships first, so that matches end soon. */
async function choices({ page }, others, tries) {
  const read = () => {
    const found = [...document.querySelectorAll('.sea-frame.active .cell.target, .sea-frame.active .cell.open')];
    return {
      sea: document.querySelector('.sea-frame.active sea-board')?.dataset.sea,
      cells: found.map((cell) => cell.dataset.cell),
    };
  };
  const { sea, cells } = await page.evaluate(read);
  const ships = await Promise.all(
    others.map((other) =>
      other.page.evaluate(
        (where) =>
          [...document.querySelectorAll(`sea-board[data-sea="${where}"] [data-cell]`)]
            .filter(
              (cell) =>
                cell.getAttribute('aria-label').split(', ').length > 1 &&
                !cell.getAttribute('aria-label').includes('unknown') &&
                !cell.matches('.hit'),
            )
            .map((cell) => cell.dataset.cell),
        sea,
      ),
    ),
  );
  const known = new Set(ships.flat());
  const mixed = cells
    .map((cell) => [tries % 2 === 0 && known.has(cell) ? 0 : Math.random() + 1, cell])
    .sort((a, b) => a[0] - b[0]);
  return mixed.map(([, cell]) => cell);
}

/** Makes an optional choice. */
async function choose(someone, others) {
  const items = someone.page.locator('.items button.item');
  const count = await items.count();
  if (!count) return;
  await items.nth(Math.floor(Math.random() * count)).click();
  await click(someone.page, await choices(someone, others, 0));
}

/** Makes one decision, if one waits. Returns true if it was sent. */
export async function decide(someone, others) {
  const { page } = someone;
  if (!(await page.locator('.decision').count())) return false;
  const auto = page.locator('[data-focus=auto]');
  const send = page.locator('[data-focus=send]');
  const before = await page
    .locator('.log li')
    .first()
    .getAttribute('value')
    .catch(() => null);
  if (await auto.count()) {
    await auto.click();
    // A fleet placed by the page is shown before it is sent.
    if (await send.isEnabled()) await send.click();
  } else {
    const items = page.locator('.items button.item');
    if (await send.isEnabled()) await choose(someone, others); // one may pass, but that is no play
    for (let tries = 0; tries < 40 && (await send.isDisabled()); tries++) {
      const cells = await choices(someone, others, tries);
      if (!(await click(page, cells)) && (await items.count())) await items.nth(tries % (await items.count())).click();
    }
    if (await send.isDisabled()) throw new Error(`nothing to choose: ${await page.locator('.panel').innerText()}`);
    await send.click();
    // Sending nothing needs a second press.
    if (await page.locator('[data-focus=send].sure').count()) await send.click();
  }
  await page.waitForFunction((number) => {
    if (document.querySelector('.result')) return true;
    if (document.querySelector('.panel').getAttribute('aria-busy') === 'true') return false;
    return document.querySelector('.refusal') || document.querySelector('.log li')?.getAttribute('value') !== number;
  }, before);
  const refusal = page.locator('.panel .refusal');
  if (await refusal.count()) throw new Error(`refused: ${await refusal.innerText()}`);
  return true;
}

/** Plays until the match is over; after `most` decisions the first player resigns, also on the page. `most` may be a
 * function, if it depends on the time. */
export async function playOut(players, most = 400) {
  const limit = () => (typeof most === 'function' ? most() : most);
  for (let made = 0; !(await over(players[0])); ) {
    let acted = false;
    for (const someone of players) {
      if (await over(someone)) break;
      if (made >= limit() && (await resign(someone))) acted = true;
      else if (
        await decide(
          someone,
          players.filter((other) => other !== someone),
        )
      )
        acted = true;
      if (acted) made++;
    }
    // Neither had anything to do: the other's action is still in progress.
    if (!acted)
      await players[0].page
        .waitForFunction(() => document.querySelector('.decision') || document.querySelector('.result'), undefined, {
          timeout: 2000,
        })
        .catch(() => {});
  }
  await Promise.all(players.map(({ page }) => page.locator('.result').waitFor()));
}

/** Chooses the last option, twice: once to select, once to confirm. */
export async function resign({ page }) {
  const press = () => {
    const last = [...document.querySelectorAll('.optional button')].at(-1);
    last?.click();
    document.querySelector('.optional button.sure')?.click();
    return !!last;
  };
  if (!(await page.evaluate(press))) return false;
  // It is refused if it has become this player's turn meanwhile: then they try again.
  await page.waitForFunction(
    () => document.querySelector('.result, .panel .refusal') || !document.querySelector('.decision'),
  );
  return true;
}

/** Cells whose mark has a number that a screen reader does not read. */
export function unsaid({ page }) {
  return page.evaluate(() =>
    [...document.querySelectorAll('sea-board .sea:not([role=img])')].flatMap((sea) =>
      [...sea.querySelectorAll('.mark .count')]
        .map((count) => {
          const label = count.closest('[data-mark]').getAttribute('data-mark');
          return [sea.querySelector(`[data-cell="${label}"]`).getAttribute('aria-label'), count.textContent];
        })
        .filter(([label, count]) => !label.split(/[ ,]+/).includes(count))
        .map((both) => both.join(': ')),
    ),
  );
}

export async function picture({ page }, name) {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
}

/** Axe's findings on a page, as text. */
export async function findings({ page }) {
  await page.evaluate(axe);
  const run = () =>
    globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
  const { violations } = await page.evaluate(run);
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 160))
        .join(' | ')}`,
  );
}
