// Signs in with a passkey on the service's own pages. Without this file a page works as before, with a password. The
// browser's answer to the challenge goes into the form, which is sent like any other.
(() => {
  'use strict';
  const form = document.querySelector('form.passkey');
  if (!form || !window.PublicKeyCredential || !navigator.credentials) return;
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  const field = (name) => form.querySelector(`[name=${name}]`);
  const failed = form.querySelector('[role=alert]');

  async function ask() {
    const after = field('challenge')?.value;
    const answer = await fetch('/v1/sessions/passkey/challenges', {
      method: 'POST',
      credentials: 'omit',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(after ? { sign_in_challenge: after } : {}),
    });
    if (!answer.ok) throw new Error(String(answer.status));
    const { challenge, options } = await answer.json();
    const allowCredentials = options.allowCredentials.map((one) => ({ ...one, id: bytes(one.id) }));
    const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials };
    const found = await navigator.credentials.get({ publicKey });
    const { clientDataJSON, authenticatorData, signature, userHandle } = found.response;
    const response = {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      ...(userHandle && { userHandle: text(userHandle) }),
    };
    const credential = { id: found.id, rawId: text(found.rawId), type: found.type, response, clientExtensionResults: {} };
    field('passkey_challenge').value = challenge;
    field('credential').value = JSON.stringify(credential);
  }

  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    failed.hidden = true;
    try {
      await ask();
      form.submit();
    } catch {
      failed.hidden = false;
    }
  });
})();
