import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind, Approved, Proposed } from '../../proposals/kind.ts';
import { openCase } from '../cases/cases-store.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import { giveAway, holdMoney, releaseHeld } from '../ledger/holds.ts';
import { findHold } from '../ledger/holds-store.ts';
import { lockFloat, postTransfer } from '../ledger/store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import { listUnknownBanks } from '../house/store.ts';
import { book } from './book.ts';
import { describePayout, payoutFields, requireBank } from './payout.ts';
import { isBooked } from './store.ts';

export const PAYOUT_MADE = 'payout_made';

const content = strict({
  ...payoutFields,
  reference: Type.String({ minLength: 1, maxLength: 200 }),
});
type Content = Static<typeof content>;

/** Where the money of a transfer comes from, in this order. `exposure`: the vendor owes it to us. */
const SOURCES = ['held', 'collected', 'float', 'exposure'] as const;
type Source = (typeof SOURCES)[number];
/** The number of the transfer from each, below the legs of holds. */
const LEGS: Readonly<Record<Source, number>> = { held: 2, collected: 5, float: 6, exposure: 7 };

interface Facts {
  /** The amount that this proposal holds is not in `collected`. */
  readonly balances: Readonly<Record<Exclude<Source, 'exposure'>, bigint>>;
  readonly isBooked: boolean;
  readonly hasBank: boolean;
}

interface Plan {
  readonly proposal: Proposed<Content>;
  readonly parts: readonly { readonly from: Source; readonly cents: bigint }[];
}

/**
 * A transfer to a vendor's bank that was made without a proposal. The money is gone, so it is booked whatever the
 * vendor has; what it has spent meanwhile is what it owes us. The proposal holds what is left of collected income.
 */
export const payoutMadeKind = (mac: Mac): AnyKind =>
  kind<Content, Facts, Plan>({
    name: PAYOUT_MADE,
    title: 'Payout that was made without a proposal',
    content: compiled(content),
    proposedBy: 'finance.act',
    decidedBy: 'finance.act',
    about: ({ reference }) => plainReference(reference),
    vendorId: ({ vendorId }) => vendorId,
    describe: ({ reference, ...payout }) => [
      ...describePayout(payout),
      { label: 'Reference of the bank', text: reference },
    ],
    read: async (db, { vendorId, reference, bank }, { lock, proposalId }) => {
      if (lock) await lockFloat(db, vendorId);
      const hold = proposalId === null ? undefined : await findHold(db, proposalId);
      return {
        balances: {
          held: hold?.vendorId === vendorId ? hold.cents : 0n,
          collected: await readBalance(db, vendorId, 'collected'),
          float: await readBalance(db, vendorId, 'float'),
        },
        isBooked: await isBooked(db, plainReference(reference)),
        hasBank: (await listUnknownBanks(db, [bank])).length === 0,
      };
    },
    check: (facts, { bank }) => {
      requireBank(facts, bank);
      if (!facts.isBooked) return;
      throw new PlainError('This reference was entered before.', { field: 'reference' });
    },
    plan: ({ balances }, proposal) => ({
      proposal,
      parts: partsOf(BigInt(proposal.content.cents), balances),
    }),
    show: ({
      parts,
      proposal: {
        content: { vid, bank },
      },
    }) =>
      parts.map(({ from, cents }) => ({
        label: from === 'exposure' ? 'The vendor owes us' : 'Booked',
        text: `${vid}: ${from} → bank:${bank}`,
        cents: String(cents),
      })),
    apply: async (db, plan, approval) => await apply(db, mac, plan, approval),
    hold: {
      take: async (db, { proposalId: holderId, content: { vendorId, cents }, proposedAt: at }) => {
        const collected = await readBalance(db, vendorId, 'collected');
        const held = collected < BigInt(cents) ? collected : BigInt(cents);
        await holdMoney(db, { holderId, vendorId, cents: held, at });
      },
      release: releaseHeld,
    },
  });

function partsOf(cents: bigint, balances: Facts['balances']): Plan['parts'] {
  let left = cents;
  return SOURCES.flatMap((from) => {
    const has = from === 'exposure' ? left : balances[from];
    const part = has < left ? has : left;
    left -= part;
    return part > 0n ? [{ from, cents: part }] : [];
  });
}

async function apply(
  db: Queryable,
  mac: Mac,
  { proposal, parts }: Plan,
  { by, at }: Approved<Content>,
): Promise<void> {
  const { proposalId, content: made } = proposal;
  const { vendorId, reference } = made;
  await book(db, mac, proposal, { reference, decidedBy: by, at });
  const to = `bank:${made.bank}` as const;
  for (const { from, cents } of parts) {
    if (from === 'held') {
      await giveAway(db, { holderId: proposalId, vendorId, cents, to, at });
      continue;
    }
    await postTransfer(db, {
      ...{ vendorId, sourceId: proposalId, leg: LEGS[from], amountCents: cents, createdAt: at },
      ...{ debitAccount: from, creditAccount: to },
    });
  }
  const owed = parts.find(({ from }) => from === 'exposure');
  if (owed === undefined) return;
  await openCase(db, {
    ...{ vendorId, paymentId: null, kind: 'exposure', operatorCode: null },
    evidenceId: proposalId,
    facts: { source: 'payout', owed_cents: Number(owed.cents), reference },
  });
}
