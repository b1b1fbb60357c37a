// The daily puzzle: the probability of a cell, and a shot that is answered, stored and counted.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { findings, open, person, picture, url } from './driver.mjs';

const folder = new URL(`${process.env.BROADSIDE_WEB_FILES ?? '../../../../web/app'}/`, import.meta.url);
const { chances, dayOf, puzzleOf } = await import(new URL('puzzle.js', folder));
const { Chart } = await import(new URL('board/geometry.js', folder));
const world = await open();
after(() => world.browser.close());

/** A sea of one row. */
function strait(columns) {
  const cells = Array.from({ length: columns }, (_, column) => ({
    label: `A${column + 1}`,
    layer: 'top',
    row: 0,
    column,
  }));
  const layers = [{ id: 'top', name: 'Top' }];
  return new Chart({ id: 'sea', rows: 1, columns, layers, row_titles: [], column_titles: [], cells, lines: [] });
}

const ship = (length, count = 1) => ({ class: `of-${length}`, length, count });
const odds = (...given) => Object.fromEntries(chances(...given).odds);

test('chances are shares of all fleets that fit', () => {
  assert.deepEqual(odds(strait(3), [ship(2)], []), { A1: 0.5, A2: 1, A3: 0.5 });
  assert.deepEqual(odds(strait(4), [ship(2)], [{ cell: 'A2', kind: 'hit' }]), { A1: 0.5, A3: 0.5, A4: 0 });
  assert.deepEqual(odds(strait(4), [ship(2)], [{ cell: 'A2', kind: 'miss' }]), { A1: 0, A3: 1, A4: 1 });
  // A sunk ship is complete, and another one lies beside it only if the rules allow it.
  const down = ['hit', 'sunk'].map((kind, i) => ({ cell: `A${i + 1}`, kind }));
  assert.deepEqual(odds(strait(5), [ship(2), ship(1)], down), { A3: 1 / 3, A4: 1 / 3, A5: 1 / 3 });
  assert.deepEqual(odds(strait(5), [ship(2), ship(1)], down, 'forbidden'), { A3: 0, A4: 0.5, A5: 0.5 });
  // Ships of a class are interchangeable.
  assert.deepEqual(odds(strait(3), [ship(1, 2)], []), { A1: 2 / 3, A2: 2 / 3, A3: 2 / 3 });
  assert.equal(chances(strait(3), [ship(2, 2)], []), null, 'no fleet fits');
});

test('a shot is answered once a day, and the row of good ones goes on', async () => {
  // The server had no finished match: the puzzle uses the one that ships with the pages.
  const match = JSON.parse(await readFile(new URL('demonstration.json', folder), 'utf8'));
  const [today, tomorrow] = [0, 1].map((days) => dayOf(Date.UTC(2020, 1, 1 + days)));
  for (const options of [{}, { locale: 'fr', colorScheme: 'dark', viewport: { width: 360, height: 640 } }]) {
    const someone = await person(world, 'someone', options);
    const { page } = someone;
    for (const [i, day] of [today, tomorrow].entries()) {
      await page.clock.setFixedTime(`${day}T12:00:00Z`);
      const puzzle = puzzleOf(match, day);
      await page.goto(`${url}/variants/puzzle`);
      const best = page.locator(`.puzzle [data-cell="${puzzle.best[0]}"]`);
      await best.click();
      assert.deepEqual(await findings(someone), []);
      await page.locator('.puzzle-bar button').click();
      await page.locator('.puzzle h2').waitFor();
      await picture(someone, `puzzle-${options.locale ?? 'en'}-${i}`);
      assert.deepEqual(await findings(someone), []);
      const percent = String(Math.round(100 * puzzle.odds.get(puzzle.best[0])));
      assert.ok((await best.getAttribute('aria-label')).split(', ').includes(percent), 'the chance is said');
      assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('broadside-puzzle')).streak), i + 1);
      // After a reload the answer stays.
      await page.goto(url);
      await page.locator('.puzzle-entry').scrollIntoViewIfNeeded();
      await page.locator('.puzzle-entry a').click();
      await page.locator('.puzzle h2').nth(0).waitFor();
      assert.equal(await page.locator('.puzzle .wide').count(), 0);
    }
  }
  assert.deepEqual(world.faults, []);
});
