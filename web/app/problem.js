/** Errors of requests. */

/** An error in the server's words. */
export class Problem extends Error {
  /** @param {number} status @param {Partial<Schema<'Problem'>> | null} body
   * @param {number} [wait] seconds until the next attempt */
  constructor(status, body, wait = 0) {
    super(body?.detail || body?.title || String(status));
    this.status = status;
    /** @type {string} */
    this.code = body?.code ?? '';
    this.errors = body?.errors ?? [];
    this.body = body;
    this.wait = wait;
  }
}

/** The server can't be reached. */
export class Unreachable extends Error {}
