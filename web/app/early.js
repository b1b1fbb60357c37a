/** Preloads all files of the current page at once: imports would load one after the other. */

import { whole } from './i18n/index.js';

/** Modules of a board. */
const SEA = 'board/board board/geometry board/plans board/sheets board/wrecks kit/water match/told';
/** Modules of a page, by the first part of its address. @type {Record<string, string>} */
const PAGES = {
  '': `${SEA} match/fold pages/home pages/play-button demonstration game-card seen titles`,
  match: `${SEA} pages/match match/panel match/boards match/words match/standing match/standing-form decisions/plan
    decisions/field decisions/option decisions/orders decisions/place match/action-form board/thumbnail kit/effects`,
};

const { pathname, hash } = location;
const [, first = ''] = (pathname.endsWith('.html') ? hash : pathname).split(/[/?]/);

/** @param {Record<string, string>} how */
function ask(how) {
  document.head.append(Object.assign(document.createElement('link'), how));
}

for (const name of PAGES[first]?.split(/\s+/) ?? [])
  ask({ rel: 'modulepreload', href: new URL(`${name}.js`, import.meta.url).href });
if (first) void whole();
else ask({ rel: 'preload', as: 'fetch', crossOrigin: '', href: new URL('demonstration.json', import.meta.url).href });
