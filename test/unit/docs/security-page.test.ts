import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PARTIES_GRANTS } from '../../../src/parties/grants.ts';
import { PAYMENTS_GRANTS } from '../../../src/payments/grants.ts';
import { PROPOSALS_GRANTS } from '../../../src/proposals/grants.ts';
import { findMissing, listNamedTests } from '../../support/named-tests.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(ROOT, 'docs/operating/security.md'), 'utf8');

/** Tables whose rows `ledger check` verifies, or whose codes are verified whenever somebody acts by them. */
const VERIFIED = new Set(
  `accounts transfers ledger_blocks ledger_heads ledger_chain transfer_hours transfer_vendor_hours transfer_days
  transfer_weeks transfer_sums collections fund_movements receipts receipt_accounts receipt_account_ends uploaded_files
  unread_messages house_entries house_journals house_accounts house_transfers vendor_payouts
  payout_phones vendor_openings reference_files reference_file_ends invoices invoice_runs invoice_controls summary_journals
  summary_lines summary_exports corrections
  closed_days day_totals quarantines people passkeys passkey_challenges proposals proposal_decisions`.split(
    /\s+/,
  ),
);

describe('the security page', () => {
  test('names every table that the runtime role may write and nothing verifies', () => {
    const grants = { ...PARTIES_GRANTS, ...PROPOSALS_GRANTS, ...PAYMENTS_GRANTS };
    const written = Object.entries(grants).filter(
      ([, may]) =>
        may.insert === true || may.update !== undefined || may.updateAllBut !== undefined,
    );
    const silent = written.filter(
      ([table]) => !VERIFIED.has(table) && !new RegExp(`\`${table}[\`.]`).test(page),
    );
    expect(silent.map(([table]) => table)).toEqual([]);
    expect([...VERIFIED].filter((table) => !(table in grants))).toEqual([]);
  });

  test('names a test for every item of the standard', () => {
    const rows = page.split('\n').filter((line) => /^\| \d+\.\d+\.\d+/.test(line));
    expect(rows.length).toBeGreaterThan(25);
    for (const row of rows) expect(row, row).toMatch(/`test\/[^`]+` “[^”]+” +\|$/);
  });

  test.each(listNamedTests(page))('$file has “$title”', (named) => {
    expect(findMissing([named])).toEqual([]);
  });
});
