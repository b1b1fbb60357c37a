/** A request as people would write it: in a shell, in TypeScript, in Python. */

/**
 * @typedef {{
 *   method: string,
 *   url: string,
 *   headers: Record<string, string>,
 *   body: string,
 *   signed: boolean,
 * }} Request
 */

/** @param {string} text */
const inShell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The body, if it is JSON. @param {string} body @returns {any} */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** @param {string} text @param {number} columns */
const indented = (text, columns) => text.replaceAll('\n', `\n${' '.repeat(columns)}`);

/** @param {Request} request */
function curl({ method, url, headers, body, signed }) {
  const lines = [`curl -s ${method === 'GET' ? '' : `-X ${method} `}${inShell(url)}`];
  if (signed) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${inShell(`${name}: ${value}`)}`);
  if (body) lines.push(`-d ${inShell(body)}`);
  return lines.join(' \\\n  ');
}

/** @param {Request} request */
function typescript({ method, url, headers, body, signed }) {
  const lines = Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  if (signed) lines.unshift('Authorization: `Bearer ${token}`,');
  const json = parsed(body);
  const data =
    json === undefined ? JSON.stringify(body) : `JSON.stringify(${indented(JSON.stringify(json, null, 2), 2)})`;
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(lines.length ? ['  headers: {', ...lines.map((line) => `    ${line}`), '  },'] : []),
    ...(body ? [`  body: ${data},`] : []),
    '});',
    'if (!answer.ok) throw new Error((await answer.json()).code);',
    'const result = await answer.json();',
  ].join('\n');
}

/** A value as Python writes it. @param {any} value @param {number} depth @returns {string} */
function inPython(value, depth = 0) {
  const pad = ' '.repeat(4 * (depth + 1));
  const end = `\n${' '.repeat(4 * depth)}`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((one) => inPython(one, depth)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const rows = Object.entries(value).map(
    ([name, one]) => `${pad}${JSON.stringify(name)}: ${inPython(one, depth + 1)},`,
  );
  return rows.length ? `{\n${rows.join('\n')}${end}}` : '{}';
}

/** @param {Request} request */
function python({ method, url, headers, body, signed }) {
  const given = Object.entries(headers).filter(([name]) => name !== 'Content-Type');
  const lines = given.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (signed) lines.unshift('"Authorization": f"Bearer {token}"');
  const json = parsed(body);
  const data = json === undefined ? `data=${JSON.stringify(body)}` : `json=${inPython(json, 1)}`;
  return [
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...(lines.length ? [`    headers={${lines.join(', ')}},`] : []),
    ...(body ? [`    ${data},`] : []),
    ')',
    'answer.raise_for_status()',
    'result = answer.json()',
  ].join('\n');
}

/** @type {Record<string, (request: Request) => string>} */
export const LANGUAGES = { curl, TypeScript: typescript, Python: python };
