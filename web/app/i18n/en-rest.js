/** English: what the first page can do without. */
import account from './en-account.js';
import cases from './en-cases.js';
import contests from './en-contests.js';
import more from './en-more.js';
import records from './en-records.js';

export default { ...account, ...cases, ...contests, ...more, ...records };
