// The service is killed during an open match and restarted: the page shows it, catches up by itself, and continues.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

// A separate service, since the other tests need theirs. Without the program (`run served`) there is nothing to kill.
const binary = process.env.BROADSIDE_BINARY;
const skip = binary ? false : 'which program? (BROADSIDE_BINARY)';

async function freePort() {
  const socket = createServer().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

const port = binary ? await freePort() : 0;
const url = `http://localhost:${port}`;
process.env.BROADSIDE_URL = url; // for the driver, which is read after this
const { accept, decide, findings, meet, offer, open, picture, player, read } = await import('./driver.mjs');
const folder = binary ? await mkdtemp(join(tmpdir(), 'broadside-restart-')) : '';

/** @type {import('node:child_process').ChildProcess | null} */
let service = null;
async function start() {
  if (folder) await chmod(folder, 0o755); // the private PostgreSQL may have another account, which needs access
  const options = ['--listen', `127.0.0.1:${port}`, '--public-url', url, '--admin-listen', '127.0.0.1:0'];
  service = spawn(binary, ['serve', ...options, '--data', join(folder, 'data')], {
    env: { ...process.env, BROADSIDE_RATE_LIMITS: 'off' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  for await (const part of service.stdout) {
    said += part;
    if (said.includes('listening on ')) break;
  }
  assert.ok(said.includes('listening on '), 'the service did not start');
}
async function end(signal) {
  if (!service || service.exitCode !== null) return;
  service.kill(signal);
  await once(service, 'exit');
}

const world = await open();
after(async () => {
  await world.browser.close();
  await end('SIGTERM');
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('a match goes on when the service was killed and is back', { skip }, async () => {
  await start();
  const small = { viewport: { width: 360, height: 780 }, colorScheme: 'dark', locale: 'fr' };
  const players = [await player(world, 'patient'), await player(world, 'waiting', small)];
  const [first] = (await read('/v1/variants?limit=1')).items;
  await accept(players[1], await offer(players[0], first.id));
  await meet(players);
  for (const someone of players) await decide(someone, []);
  const lamp = ({ page }, state) => page.locator(`.lamp.${state}`).waitFor();
  for (const someone of players) await lamp(someone, 'live');
  await picture(players[0], 'live');
  await end('SIGKILL');
  for (const someone of players) {
    await lamp(someone, 'connecting');
    await picture(someone, 'not-live');
    assert.deepEqual(await findings(someone), []);
  }
  await start();
  for (const someone of players) await lamp(someone, 'live');
  // Both shoot: each page shows the other's shot without a reload.
  const reports = ({ page }) => page.locator('.log li').first().getAttribute('value').then(Number);
  for (let shots = 0, tries = 0; shots < 3; tries++) {
    assert.ok(tries < 100, 'nobody could shoot');
    await Promise.any(players.map(({ page }) => page.locator('.decision').first().waitFor()));
    for (const [one, other] of [players, [...players].reverse()]) {
      if (!(await decide(one, []))) continue;
      shots++;
      const latest = await reports(one);
      await other.page.waitForFunction((number) => {
        const line = document.querySelector('.log li');
        return Number(line?.getAttribute('value')) >= number;
      }, latest);
    }
  }
  assert.deepEqual(
    world.faults.filter((fault) => !/fetch|network|ERR_/i.test(fault)),
    [],
  );
});
