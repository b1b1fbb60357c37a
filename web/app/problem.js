/** What can go wrong with a request. */

/** What went wrong, in the server's words. */
export class Problem extends Error {
  /** @param {number} status @param {Partial<Schema<'Problem'>> | null} body */
  constructor(status, body) {
    super(body?.detail || body?.title || String(status));
    this.status = status;
    /** @type {string} */
    this.code = body?.code ?? '';
    this.errors = body?.errors ?? [];
    this.body = body;
  }
}

/** The server can't be reached. */
export class Unreachable extends Error {}
