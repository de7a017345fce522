import { newId } from '../../../src/platform/base/ids.ts';
import { enterQuarantine } from '../../../src/payments/quarantine/enter.ts';
import { proposeRelease } from '../../../src/payments/quarantine/release-kind.ts';
import { createWireTime } from '../../../src/platform/base/clock.ts';
import { OPERATOR } from '../../support/money-fixture.ts';
import type { Case, Cases, Given } from './case.ts';

const wireTime = createWireTime('Africa/Nairobi');

/** The end of a quarantine without the statement of the operator. */
async function quarantineRelease({ books, proposals, people }: Given): Promise<Case> {
  const { pool } = books;
  const lostFrom = new Date('2026-01-05T09:00:00Z');
  const enter = async (lostUntil: Date | null) =>
    await enterQuarantine(pool, {
      ...{ entryId: newId(), by: 'restore', reason: 'restored', lostFrom, lostUntil },
    });
  const lostUntil = new Date('2026-01-05T10:00:00Z');
  await enter(lostUntil);
  const asked = { by: people.asha, note: 'the operator sends none' };
  const { proposalId: id } = await proposeRelease({ pool, proposals }, asked);
  const period = `${wireTime.format(lostFrom)} to ${wireTime.format(lostUntil)}`;
  const ended = { isOpen: true, forced: false };
  return {
    ...{ id, ended },
    shown: [
      { label: 'Sends payments again without the statements of', text: OPERATOR },
      { label: 'May be missing from the ledger', text: period },
    ],
    state: async () => {
      const sql = 'select released_at is null as "isOpen", forced from quarantines';
      return (await pool.query(sql)).rows[0];
    },
    approved: { isOpen: false, forced: true },
    // More may be missing.
    changeFacts: async () => void (await enter(new Date('2026-01-05T11:00:00Z'))),
    reason: /period that may be missing has changed/,
    // The statement has come.
    spend: async () => {
      await pool.query(
        `insert into operator_statements (statement_id, operator, period_start, period_end,
           file_sha256, imported_at, complete, opening_cents, closing_cents)
         values ($1, $2, $3, $4, sha256('x'), now(), true, 0, 0)`,
        [newId(), OPERATOR, lostFrom, new Date('2026-01-05T12:00:00Z')],
      );
      return { isOpen: false, forced: false };
    },
  };
}

export const CASES: Cases = {
  quarantine_release: { role: 'operations', make: quarantineRelease },
};
