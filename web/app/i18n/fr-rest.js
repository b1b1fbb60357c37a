/** French: what the first page can do without. */
import account from './fr-account.js';
import cases from './fr-cases.js';
import contests from './fr-contests.js';
import more from './fr-more.js';
import records from './fr-records.js';

export default { ...account, ...cases, ...contests, ...more, ...records };
