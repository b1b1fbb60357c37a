// The schemas of the contract, for the JSDoc of the pages: `Schema<'Match'>`.

import type { components } from 'contract';

declare global {
  type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
}
