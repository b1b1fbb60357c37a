// oauth4webapi signs in: discovery, PKCE, the code, the API, a refresh, a refresh token that is used twice, revocation.

import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';

const url = new URL(process.argv[2]);
const client = { client_id: 'a-client-of-others' };
const redirect = 'http://127.0.0.1:51234/back';
const options = { [oauth.allowInsecureRequests]: true }; // loopback
const [name, password] = [`ola${process.pid}`, 'three masts and a storm'];

/** What a browser does with a form of the service's pages. A server with too much to do is asked again. */
async function submit(path, fields, cookie = '', tries = 10) {
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'sec-fetch-site': 'same-origin', origin: url.origin },
    body: new URLSearchParams(fields),
  });
  if (answer.status !== 503 || tries === 1) return answer;
  await new Promise((go) => setTimeout(go, 1000 * Number(answer.headers.get('retry-after'))));
  return submit(path, fields, cookie, tries - 1);
}

/** Somebody signs in and presses "allow" on the page of this address: where the browser is sent. */
async function consent(address) {
  const door = await submit('/oauth/sign-in', { username: name, password });
  assert.equal(door.status, 303);
  const cookie = door.headers.get('set-cookie').split(';')[0];
  const page = await (await fetch(address, { headers: { cookie } })).text();
  const token = /name="form_token" value="([^"]+)"/.exec(page)[1];
  const fields = { ...Object.fromEntries(address.searchParams), form_token: token, decision: 'allow' };
  const back = await submit('/oauth/authorize', fields, cookie);
  assert.equal(back.status, 303, await back.text());
  return new URL(back.headers.get('location'));
}

const made = await fetch(new URL('/v1/accounts', url), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username: name, password }),
});
assert.equal(made.status, 201);

const discovered = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...options });
const server = await oauth.processDiscoveryResponse(url, discovered);
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const there = new URL(server.authorization_endpoint);
there.search = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: redirect,
  scope: 'matches:read',
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});

const back = await consent(there);
assert.throws(() => oauth.validateAuthResponse({ ...server, issuer: 'https://other.example' }, client, back, state));
const answered = oauth.validateAuthResponse(server, client, back, state);
const none = oauth.None();
const exchange = () => oauth.authorizationCodeGrantRequest(server, client, none, answered, redirect, verifier, options);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
assert.equal(tokens.scope, 'matches:read');

/** The status of a request to the API. */
async function status(path, token) {
  return (await oauth.protectedResourceRequest(token, 'GET', new URL(path, url), undefined, undefined, options)).status;
}

assert.equal(await status('/v1/turns', tokens.access_token), 200);
assert.equal(await status('/v1/account', tokens.access_token), 403);

const refresh = (token) => oauth.refreshTokenGrantRequest(server, client, none, token, options);
const next = await oauth.processRefreshTokenResponse(server, client, await refresh(tokens.refresh_token));
assert.notEqual(next.refresh_token, tokens.refresh_token);
assert.equal(await status('/v1/turns', next.access_token), 200);

await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, none, next.refresh_token, options));
await assert.rejects(
  async () => oauth.processRefreshTokenResponse(server, client, await refresh(next.refresh_token)),
  (error) => error.error === 'invalid_grant',
);
await assert.rejects(status('/v1/turns', next.access_token));

await assert.rejects(
  async () => oauth.processAuthorizationCodeResponse(server, client, await exchange()),
  (error) => error.error === 'invalid_grant',
);
console.log('oauth4webapi signs in, acts, refreshes and revokes');
