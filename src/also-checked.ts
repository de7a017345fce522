import { PEOPLE_AUTHENTIC } from './parties/people/authenticity.ts';
import { RELEASES_AUTHENTIC } from './payments/quarantine/forged.ts';
import { DECISIONS_AUTHENTIC } from './proposals/authenticity.ts';

/** What `ledger check` looks at besides the ledger: rows with authentication codes under the same key. */
export const ALSO_CHECKED = [PEOPLE_AUTHENTIC, DECISIONS_AUTHENTIC, RELEASES_AUTHENTIC] as const;
