import { PEOPLE_AUTHENTIC } from './parties/people/authenticity.ts';
import { INVOICES_CHECKED } from './payments/invoices/check-store.ts';
import { RELEASES_AUTHENTIC } from './payments/quarantine/forged.ts';
import { SUMMARIES_CHECKED } from './payments/summaries/check-store.ts';
import { DECISIONS_AUTHENTIC } from './proposals/authenticity.ts';

/** `ledger check` also verifies these rows. Their authentication codes are made with the ledger's key. */
export const ALSO_CHECKED = [
  PEOPLE_AUTHENTIC,
  DECISIONS_AUTHENTIC,
  RELEASES_AUTHENTIC,
  INVOICES_CHECKED,
  SUMMARIES_CHECKED,
] as const;
