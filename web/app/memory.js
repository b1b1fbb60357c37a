/** Data kept in this browser between pages. Without storage, it lasts until the page is closed. */

/** @type {Map<string, string>} */
const here = new Map();

/** @param {string} name @returns {any} `null`: nothing */
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
    // Kept in `here`.
  }
}
