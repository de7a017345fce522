import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUSE, openCase } from '../../src/payments/cases/cases-store.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { findViolations } from '../support/books-check.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import {
  approveForReceipt,
  proposeForReceipt,
  rejectForReceipt,
} from '../support/receipt-decisions.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import { reportReversal } from '../../src/payments/receipts/reverse.ts';
import { findReceipts } from '../../src/payments/receipts/read-receipts.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { newId } from '../../src/platform/base/ids.ts';
import {
  COLLECTOR,
  createInstructed,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { approveResolution, proposeResolution } from '../support/approve-case.ts';

// Somebody with the runtime role alone, without MASTER_KEY, changes or invents what one person proposed.
// The second person, who is honest, must not make the service carry it out.

const FLOAT = 100_000n;

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

describe('a proposal to resolve a case', () => {
  /** A case about a payment that was paid, which a statement does not list. */
  async function openedCase(): Promise<{ caseId: string; vendorId: number }> {
    const vendorId = await books.addVendor(FLOAT);
    const made = newPayment({ vendorId, amountCents: 10_000n, feeCents: 0n });
    await createInstructed(books.pool, [made]);
    await settlePayments(books.pool, [paidReport(made)]);
    const { paymentId } = made;
    const about = { vendorId, paymentId, evidenceId: newId(), operatorCode: OPERATOR };
    const facts = { source: 'statement', paid_cents: 0 };
    await openCase(books.pool, { ...about, kind: 'ours_only', facts });
    const [row] = await listCasesAbout(books.pool, vendorId, paymentId);
    return { caseId: row?.caseId ?? '', vendorId };
  }

  async function propose(
    caseId: string,
    resolution: string,
    amount_cents: string | null = null,
  ): Promise<string> {
    const empty = { operator_reference: null, message: null, details: null };
    const proposal = { resolution, note: 'the statement was late', amount_cents, ...empty };
    const row = await proposeResolution(books, { caseId, by: 'Asha', proposal });
    return row.proposalId;
  }

  const approve = async (caseId: string, proposalId: string) =>
    await approveResolution(books, { caseId, proposalId, by: 'Baraka' });

  test.each([
    ['house_bears', null],
    ['receivable', '1000'],
  ])(
    'a proposal that was carried out is not carried out again when its case is opened again: %s',
    async (resolution, amount_cents) => {
      const about = { vendorId: HOUSE, paymentId: null, evidenceId: newId() };
      const facts = { movement: 'payment', paid_cents: 5_000 };
      const opened = { ...about, operatorCode: OPERATOR, kind: 'theirs_only', facts } as const;
      const caseId = (await openCase(books.pool, opened)) ?? expect.fail();
      const seen = await propose(caseId, resolution, amount_cents);
      await approve(caseId, seen);
      const before = await books.balances(HOUSE);
      await books.pool.query(
        `update cases set resolution = null, resolved_by = null, resolved_at = null,
           proposed_by = null where case_id = $1`,
        [caseId],
      );
      await expect(approve(caseId, seen)).rejects.toThrow('already approved');
      await expect(propose(caseId, resolution)).rejects.toThrow('opened again in the database');
      expect(await books.balances(HOUSE)).toEqual(before);
      const violations = await findViolations(books.pool, { mac: books.ledgerMac });
      expect(violations).toContainEqual(
        expect.objectContaining({ invariant: 'own_corrections_decided' }),
      );
      // As the owner would, after an incident.
      await books.pool.query(
        `update cases set resolution = $2, proposed_by = 'Asha', resolved_by = 'Baraka', resolved_at = now()
         where case_id = $1`,
        [caseId, resolution],
      );
    },
  );

  test('a proposal is not carried out if the facts of the case were changed after it', async () => {
    const { caseId } = await openedCase();
    const seen = await propose(caseId, 'return_to_vendor');
    await books.pool.query(
      `update cases set facts = facts || '{"details": {"token": "1"}}' where case_id = $1`,
      [caseId],
    );
    await expect(approve(caseId, seen)).rejects.toThrow('other facts');
  });
});

describe('a decision about a receipt', () => {
  const SOURCE = 'paybill';
  const note = 'the customer showed the message';
  const [vid, attackerVid] = ['vendor-shown', 'vendor-attacker'];
  let [vendorId, attackerId] = [0, 0];
  let made = 0;
  const deps = () => ({ ...books, log: pino({ level: 'silent' }) });

  beforeAll(async () => {
    [vendorId, attackerId] = [await books.addVendor(), await books.addVendor()];
    for (const [id, name] of [
      [vendorId, vid],
      [attackerId, attackerVid],
    ]) {
      await books.owner.query('update vendors set vid = $2 where vendor_id = $1', [id, name]);
    }
    await setSource(books.pool, SOURCE, {
      ...{ name: 'Pay bill', kind: 'daraja', collector: COLLECTOR },
      settings: { base_url: 'http://127.0.0.1:9', short_code: '600100' },
    });
    await addAccount(books, { sourceCode: SOURCE, account: 'KNOWN', vid, by: 'Asha' });
  });

  /** A receipt that nobody has. */
  async function unmatched(): Promise<string> {
    made += 1;
    const receipt = `FP${String(made).padStart(8, '0')}`;
    await takeReport(deps(), {
      ...{ issuer: 'mpesa', receipt, sourceCode: SOURCE, collector: COLLECTOR, channel: 'pull' },
      ...{ amountCents: 1_000n, paidAt: new Date('2026-01-05T07:15:30Z') },
      ...{ account: 'TYPO', payer: null },
    });
    return receipt;
  }

  const propose = async (receipt: string, to: string | null = vid) =>
    await proposeForReceipt(books, { receipt, by: 'Asha', note, vid: to });
  const approve = async (receipt: string) =>
    await approveForReceipt(deps(), { receipt, by: 'Baraka' });
  const collected = async (): Promise<unknown[]> =>
    (await Promise.all([vendorId, attackerId].map((id) => books.balances(id)))).map(
      (balances) => balances['collected'],
    );

  test('a rejected decision is not carried out after the receipt was closed', async () => {
    const receipt = await unmatched();
    const [kept] = await findReceipts(books.pool, receipt);
    await propose(receipt);
    await rejectForReceipt(books, { receipt, by: 'Baraka', note });
    await propose(receipt, null);
    await approve(receipt);
    const before = await collected();
    // The row as it was, with its valid code.
    await books.pool.query(
      `update receipts set state = 'unmatched', mac = $2, decided_by = null, decided_at = null,
         proposed_by = null
       where receipt_id = $1`,
      [kept?.receiptId, kept?.mac],
    );
    await expect(propose(receipt)).rejects.toThrow('opened again in the database');
    expect(await collected()).toEqual(before);
    await propose(receipt, null);
    expect(await approve(receipt)).toMatchObject({ state: 'closed' });
  });

  test.each([
    ['waited for its confirmation', 'unconfirmed'],
    ['was claimed and then taken back', 'claimed'],
  ] as const)('closing a receipt that %s holds, whatever is reported later', async (_, state) => {
    made += 1;
    const receipt = `FP${String(made).padStart(8, '0')}`;
    const report = async (channel: 'confirmation' | 'pull') => {
      const about = { issuer: 'mpesa', receipt, sourceCode: SOURCE, collector: COLLECTOR, channel };
      const paid = { amountCents: 1_000n, paidAt: new Date('2026-01-05T07:15:30Z'), payer: null };
      return await takeReport(deps(), { ...about, ...paid, account: 'KNOWN' }, 1_000n);
    };
    const setCollector = async (status: string) =>
      await books.owner.query('update collectors set status = $1', [status]);
    await setCollector('suspended');
    expect(await report(state === 'claimed' ? 'pull' : 'confirmation')).toBe(state);
    const [kept] = await findReceipts(books.pool, receipt);
    await reportReversal(books, { receipt }, { actor: 'Asha', note });
    await report('pull');
    await setCollector('active');
    await propose(receipt, null);
    await approveForReceipt(deps(), { receipt, by: 'Baraka' });
    const before = await collected();
    await books.pool.query(
      `update receipts set state = $2, mac = $3, vendor_id = $4, reversed_at = null,
         proposed_by = null, decided_by = null, decided_at = null
       where receipt = $1`,
      [receipt, kept?.state, kept?.mac, kept?.vendorId],
    );
    expect(await report('pull')).not.toBe('credited');
    await creditLeftClaims(deps());
    expect(await collected()).toEqual(before);
    expect(await findReceipts(books.pool, receipt)).toMatchObject([{ state }]);
  });
});
