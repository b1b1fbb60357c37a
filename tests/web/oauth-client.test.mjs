// A third-party client (oauth4webapi) signs in from a page of another origin, in the browser: discovery, PKCE, consent,
// the code, the API, a refresh, a reused code, revocation.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { identify, open, person, player, url } from './driver.mjs';

const library = await readFile(createRequire(import.meta.url).resolve('oauth4webapi'));
const PAGE = `<!doctype html><meta charset="utf-8"><title>A client of others</title><script type="module">
import * as oauth from '/oauth4webapi.js'; window.oauth = oauth; document.title = 'ready';</script>`;
const server = createServer((request, response) => {
  const isLibrary = request.url === '/oauth4webapi.js';
  response.setHeader('Content-Type', isLibrary ? 'text/javascript' : 'text/html');
  response.end(isLibrary ? library : PAGE);
});
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
const there = `http://127.0.0.1:${server.address().port}`;

const world = await open();
after(async () => {
  await world.browser.close();
  server.close();
});

/** Starts on the client's page; returns the address to which it sends its user. */
async function begun({ issuer, back }) {
  const { oauth } = window;
  const options = { [oauth.allowInsecureRequests]: true }; // loopback
  const discovered = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...options });
  const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  sessionStorage.setItem('begun', JSON.stringify({ server, verifier, state }));
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: 'a-client-of-others',
    redirect_uri: back,
    scope: 'matches:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return address.href;
}

/** Continues on the redirect's page; returns the result of each step. */
async function gone({ issuer, back }) {
  const { oauth } = window;
  const options = { [oauth.allowInsecureRequests]: true };
  const { server, verifier, state } = JSON.parse(sessionStorage.getItem('begun'));
  const [client, none, here] = [{ client_id: 'a-client-of-others' }, oauth.None(), new URL(location.href)];
  const refused = async (work) => {
    try {
      await work();
      return 'taken';
    } catch (error) {
      return error.error ?? error.code ?? error.name;
    }
  };
  // A refusal for a missing scope is an error of this client, with the answer in it.
  const status = async (path, token) => {
    const answer = oauth.protectedResourceRequest(token, 'GET', new URL(path, issuer), undefined, undefined, options);
    return (await answer.catch((error) => error.response)).status;
  };
  const mixedUp = await refused(() =>
    oauth.validateAuthResponse({ ...server, issuer: 'https://other.example' }, client, here, state),
  );
  const answered = oauth.validateAuthResponse(server, client, here, state);
  const exchange = async () =>
    oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, none, answered, back, verifier, options),
    );
  const refresh = async (token) =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, none, token, options),
    );
  const first = await exchange();
  const [may, mayNot] = [
    await status('/v1/turns', first.access_token),
    await status('/v1/account', first.access_token),
  ];
  const next = await refresh(first.refresh_token);
  const renewed = await status('/v1/turns', next.access_token);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, none, next.refresh_token, options),
  );
  return {
    scope: first.scope,
    may,
    mayNot,
    renewed,
    rotated: next.refresh_token !== first.refresh_token,
    mixedUp,
    revoked: await refused(() => refresh(next.refresh_token)),
    repeated: await refused(exchange),
  };
}

test('oauth4webapi signs in, acts, refreshes and revokes', async () => {
  const ola = await player(world, 'ola');
  const visitor = await person(world, 'visitor');
  const { page } = visitor;
  const addresses = { issuer: url, back: `${there}/back` };
  const isReady = () => page.waitForFunction(() => document.title === 'ready');
  await page.goto(there);
  await isReady();
  await page.goto(await page.evaluate(begun, addresses));
  visitor.username = ola.username;
  await identify(visitor);
  await page.locator('button[value=allow]').click();
  await page.waitForURL(`${there}/back?**`);
  await isReady();
  assert.deepEqual(await page.evaluate(gone, addresses), {
    scope: 'matches:read',
    may: 200,
    mayNot: 403,
    renewed: 200,
    rotated: true,
    mixedUp: 'OAUTH_INVALID_RESPONSE',
    revoked: 'invalid_grant',
    repeated: 'invalid_grant',
  });
  assert.deepEqual(world.faults, []);
});
