/** Passkeys in the browser: creation and sign-in. */

/** @param {string} text base64url */
const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

/** @param {ArrayBuffer} buffer */
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** True if the browser supports passkeys for this site: not with an IP address or without HTTPS. */
export const canHave = () =>
  'PublicKeyCredential' in window && isSecureContext && !/^[\d.]+$|^\[/.test(location.hostname);

/** Has the browser make a passkey. @param {Schema<'PasskeyCreationOptions'>} options */
export async function made(options) {
  const excludeCredentials = options.excludeCredentials.map((one) => ({
    type: /** @type {const} */ ('public-key'),
    id: bytes(one.id),
  }));
  const found = await navigator.credentials.create({
    publicKey: /** @type {PublicKeyCredentialCreationOptions} */ ({
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials,
    }),
  });
  const key = /** @type {PublicKeyCredential} */ (found);
  const response = /** @type {AuthenticatorAttestationResponse} */ (key.response);
  return {
    id: key.id,
    rawId: text(key.rawId),
    type: key.type,
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
    clientExtensionResults: {},
  };
}

/** Has a passkey answer the challenge. @param {Schema<'PasskeyRequestChallenge'>} asked */
export async function answered({ challenge, options }) {
  const found = await navigator.credentials.get({
    publicKey: /** @type {PublicKeyCredentialRequestOptions} */ ({
      ...options,
      challenge: bytes(options.challenge),
      allowCredentials: options.allowCredentials.map((one) => ({
        type: /** @type {const} */ ('public-key'),
        id: bytes(one.id),
      })),
    }),
  });
  const key = /** @type {PublicKeyCredential} */ (found);
  const response = /** @type {AuthenticatorAssertionResponse} */ (key.response);
  const credential = {
    id: key.id,
    rawId: text(key.rawId),
    type: key.type,
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      ...(response.userHandle && { userHandle: text(response.userHandle) }),
    },
    clientExtensionResults: {},
  };
  return { challenge, credential };
}
