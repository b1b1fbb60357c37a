// The pages know no game: the service's names of variants, ships and actions don't occur in their code.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { read } from './driver.mjs';

/** Words of the browser that games use as well: an event of signals, and a length of dates. */
const ELSEWHERE = new Set(['abort', 'medium']);

/** Silhouettes, which the service gives classes for all clients, are not names of a game. */
async function names() {
  const found = new Set();
  const looks = new Set();
  const { items } = await read('/v1/variants?limit=100');
  for (const { id, family } of items) {
    const card = await read(`/v1/variants/${id}`);
    for (const name of [id, family, ...card.nations]) found.add(name);
    for (const { class: kind, look, ships } of card.classes) {
      for (const name of [kind, ...ships]) found.add(name);
      looks.add(look);
    }
    for (const { action_type: type, json_schema: schema } of card.actions) {
      found.add(type);
      for (const word of schema.properties.type?.enum ?? []) found.add(word);
    }
    for (const weapon of card.rule_set.weapons ?? []) found.add(weapon.weapon);
  }
  return [...found].filter((name) => !ELSEWHERE.has(name) && !looks.has(name));
}

test('no name of a game is in the code of the pages', async () => {
  const folder = new URL(`${process.env.BROADSIDE_WEB_FILES ?? '../../../../web/app'}/`, import.meta.url);
  const all = await names();
  assert.ok(all.length > 50, 'the names are found');
  const naming = [];
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.js')) continue;
    const text = await readFile(new URL(file, folder), 'utf8');
    for (const name of all)
      if (["'", '"', '`'].some((mark) => text.includes(mark + name + mark))) naming.push(`${file}: ${name}`);
  }
  assert.deepEqual(naming, []);
});
