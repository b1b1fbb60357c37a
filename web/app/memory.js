/** What this browser keeps from one page to the next. Where it keeps nothing, it holds until the page is closed. */

/** @type {Map<string, string>} */
const here = new Map();

/** @param {string} name @returns {any} `null` if nothing is kept */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(`broadside-${name}`) ?? 'null');
  } catch {
    return JSON.parse(here.get(name) ?? 'null');
  }
}

/** @param {string} name @param {unknown} value `null` forgets */
export function remember(name, value) {
  here.set(name, JSON.stringify(value));
  try {
    if (value === null) localStorage.removeItem(`broadside-${name}`);
    else localStorage.setItem(`broadside-${name}`, JSON.stringify(value));
  } catch {
    // It is in `here`.
  }
}
