import { createWireTime } from '../../src/platform/base/clock.ts';
import { proposeResolution } from '../../src/payments/corrections/case-resolution.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { listOpenProposals } from '../../src/payments/cases/case-proposals.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { readPaymentByReference } from '../../src/payments/create/store.ts';
import { listEntries, proposeEntry } from '../../src/payments/house/entries.ts';
import { readFloatBeginning } from '../../src/payments/house/store.ts';
import { listJournals, proposeJournal } from '../../src/payments/house/journals.ts';
import type { JournalLine } from '../../src/payments/house/journal.ts';
import { listFloats } from '../../src/payments/billers/float-store.ts';
import { setTopUpRule } from '../../src/payments/vendor-floats/administer.ts';
import { listRulesOf } from '../../src/payments/vendor-floats/read-rules.ts';
import { enterTransfer, proposePayout } from '../../src/payments/payouts/payouts.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import type { ProposalRow } from '../../src/proposals/proposal.ts';
import type { WireTime } from '../../src/platform/base/clock.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { approveSeen, named } from '../two-people.ts';
import type { Order } from './orders.ts';

interface Deps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** Two people; each decides what the other one proposed. */
const FIRST = 'admin';
const SECOND = 'finance';

/** Payments that the operator declines, and of which it later says that it took the money. */
export const CLAIMED: readonly (Order & { readonly merchantReference: string })[] = [
  ['claimed-1', '54103729902', '2350.00'],
  ['claimed-2', '54118849902', '1120.00'],
].map(([merchantReference = '', account = '', amount = '']) => ({
  ...{ merchantReference, biller: 'kplc_postpaid', account, amount },
}));

/**
 * The books of our floats begin with what the operators reported, so that reconciliation has nothing
 * unexplained. Operators that have not reported yet are left for the next call.
 */
export async function openFloatBooks(deps: Deps & { readonly wireTime: WireTime }): Promise<void> {
  const { pool } = deps;
  const proposals = createProposals(deps);
  const waiting = await listEntries(pool, proposals, { open: true, limit: 100 });
  for (const { operatorCode, balanceCents, polledAt } of await listFloats(pool)) {
    if (balanceCents === null || polledAt === null) continue;
    if ((await readFloatBeginning(pool, operatorCode)).isBooked) continue;
    const reference = `OPENING-${operatorCode}`;
    const open = waiting.find(
      ({ content }) => content.kind === 'opening' && content.operator === operatorCode,
    );
    // Somebody else decides it.
    if (open !== undefined && open.content.reference !== reference) continue;
    const proposed =
      open?.row ??
      (await proposeEntry(proposals, {
        ...{ operatorCode, kind: 'opening', amountCents: balanceCents, movedAt: polledAt },
        ...{ reference, bank: null, by: named(FIRST) },
        note: 'As the operator reported it',
      }));
    await approveSeen(proposals, proposed, SECOND);
  }
}

/** The vendor's income is moved into its float when that is low. */
export async function topUpItself({ pool }: Deps, vendorId: number): Promise<void> {
  if ((await listRulesOf(pool, vendorId)).length > 0) return;
  const terms = { kind: 'fund', thresholdCents: 5_000_000n, pauseSeconds: 600 } as const;
  await setTopUpRule(pool, { vendorId, terms, by: FIRST });
}

/** A journal and a payout that are booked, and one of each that waits for the second person. */
export async function bookJournalsAndPayouts(
  deps: Deps,
  { vendorId, vid }: { readonly vendorId: number; readonly vid: string },
): Promise<void> {
  const now = new Date();
  const hosting = {
    ...{ reference: 'INV-2041', lines: linesOf('expense:hosting', 'equity:capital', 1_850_000n) },
    ...{
      note: 'Servers of the month, paid by the owner',
      evidence: 'Invoice 2041',
      by: named(FIRST),
    },
  };
  const charges = {
    ...{ reference: 'CHG-118', lines: linesOf('operator-charges:kplc', 'suspense', 234_000n) },
    ...{ note: 'Charges of the month', evidence: 'Letter of the operator', by: named(FIRST) },
  };
  const proposals = createProposals({ ...deps, wireTime: createWireTime('Africa/Nairobi') });
  if ((await listJournals(proposals, { open: false, limit: 1 })).length === 0) {
    const booked = await proposeJournal(proposals, { ...hosting, movedAt: now });
    await approveSeen(proposals, booked, SECOND);
    await proposeJournal(proposals, { ...charges, movedAt: now });
  }
  const kinds = ['payout'];
  if ((await proposals.list({ open: false, kinds, vendorId, limit: 1 })).length > 0) return;
  const to = { vendorId, vid, bankAccount: 'Demo Bank 0110 2233 4455', reference: null };
  const fees = { ...to, note: 'Fees collected', evidence: 'Request by e-mail', by: named(FIRST) };
  const { proposalId } = await approveSeen(
    proposals,
    await proposePayout(proposals, { ...fees, amountCents: 8_000_000n }),
    SECOND,
  );
  const transfer = { payoutId: proposalId, reference: 'FT-0001', by: named(SECOND) };
  await enterTransfer({ ...deps, proposals }, transfer);
  await proposePayout(proposals, { ...fees, amountCents: 4_500_000n });
}

function linesOf(debit: string, credit: string, amountCents: bigint): JournalLine[] {
  return [
    { account: debit, side: 'debit', amountCents },
    { account: credit, side: 'credit', amountCents },
  ];
}

/**
 * Claims on the operator the money of the declined payments: the first is decided, so that the
 * operator owes it; the second waits. Returns false while an operator has not declined yet.
 */
export async function claimDeclined(deps: Deps, vendorId: number): Promise<boolean> {
  const { pool } = deps;
  const proposals = createProposals({ ...deps, wireTime: createWireTime('Africa/Nairobi') });
  for (const [index, { merchantReference }] of CLAIMED.entries()) {
    const payment = await readPaymentByReference(pool, vendorId, merchantReference);
    if (payment?.outcome !== 'failed') return false;
    const { paymentId } = payment;
    const about = { vendorId, paymentId, by: FIRST };
    const note = 'The operator’s account manager says that the money was taken';
    const claimed = (await listCasesAbout(pool, vendorId, paymentId)).find(isClaim);
    const claim = claimed ?? (await openCaseByHand(pool, { ...about, note }));
    if (claim.resolvedAt !== null) continue;
    const open = await listOpenProposals(pool, [claim.caseId]);
    const proposed = open.get(claim.caseId) ?? (await proposeReturn({ pool, proposals }, claim));
    // What somebody else proposed is for people to decide.
    if (index > 0 || proposed.proposedBy !== FIRST) continue;
    await approveSeen(proposals, proposed, SECOND);
  }
  return true;
}

function isClaim({ kind }: CaseRow): boolean {
  return kind === 'contradiction';
}

async function proposeReturn(
  deps: Parameters<typeof proposeResolution>[0],
  { caseId }: CaseRow,
): Promise<ProposalRow> {
  const unknown = { amount_cents: null, operator_reference: null, message: null, details: null };
  const note = 'To be returned by the operator';
  const proposal = { resolution: 'receivable', note, ...unknown } as const;
  return await proposeResolution(deps, { caseId, by: named(FIRST), proposal });
}
