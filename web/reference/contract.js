/** The contract: the service's description of its operations, in the order of the reference. */

/** Address of the service: these pages are one level below its root. */
export const SERVER = new URL('../', document.baseURI).href.replace(/\/$/, '');

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method in capitals
 * @property {string} path with its parameters in braces
 * @property {string} summary
 * @property {string} tag
 * @property {string} words text for the search
 * @property {any[]} parameters
 * @property {any} spec
 */

/** @typedef {{ name: string, description: string, operations: Operation[] }} Task */

export class Contract {
  /** @param {any} document */
  constructor(document) {
    this.document = document;
    /** @type {string} */
    this.description = document.info?.description ?? '';
  }

  /** The target of a reference. @param {any} thing @returns {any} */
  resolve(thing) {
    let found = thing;
    for (let steps = 0; found?.$ref && steps < 20; steps++) {
      const path = String(found.$ref).split('/').slice(1);
      found = path.reduce((at, key) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], this.document);
    }
    return found ?? {};
  }

  /** Operations by tag, in the contract's order of tags. @returns {Task[]} */
  tasks() {
    const all = this.operations();
    return this.document.tags
      .map((/** @type {Task} */ task) => ({ ...task, operations: all.filter(({ tag }) => tag === task.name) }))
      .filter((/** @type {Task} */ { operations }) => operations.length > 0);
  }

  /** @returns {Operation[]} */
  operations() {
    return this.#all(this.document.paths);
  }

  /** Requests sent by the service. @returns {Operation[]} */
  webhooks() {
    return this.#all(this.document.webhooks ?? {}).map((one) => ({ ...one, id: `webhook-${one.path}` }));
  }

  /** @param {Record<string, any>} items by path or name */
  #all(items) {
    return Object.entries(items).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => this.#one(path, method.toUpperCase(), item[method])),
    );
  }

  /** @param {string} path @param {string} method @param {any} spec @returns {Operation} */
  #one(path, method, spec) {
    const { operationId: id = path, tags: [tag] = [''] } = spec;
    const parameters = (spec.parameters ?? []).map((/** @type {any} */ one) => this.resolve(one));
    const codes = Object.values(spec['x-problem-codes'] ?? {}).flat();
    const words = [id, method, path, spec.summary, spec.description, tag, ...codes].join(' ').toLowerCase();
    return { id, method, path, summary: spec.summary ?? id, tag, words, parameters, spec };
  }
}

/** @returns {Promise<Contract>} */
export async function load() {
  const answer = await fetch(`${SERVER}/openapi.json`, { credentials: 'omit' });
  if (!answer.ok) throw new Error(`The contract can't be read: ${answer.status}`);
  return new Contract(await answer.json());
}
