import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind } from '../../proposals/kind.ts';
import { giveAway } from '../ledger/holds.ts';
import { findHold } from '../ledger/holds-store.ts';
import { lockFloat } from '../ledger/store.ts';
import { payoutFields } from './payout.ts';

export const PAYOUT_RETURN = 'payout_return';

const { vendorId, vid, cents, bankAccount } = payoutFields;
const content = strict({
  payoutId: Type.String({ minLength: 36, maxLength: 36 }),
  vendorId,
  vid,
  cents,
  bankAccount,
});
type Content = Static<typeof content>;

interface Facts {
  readonly heldCents: bigint;
}

/**
 * The end of an approved payout whose transfer was not made: what it holds is collected income again. Two people,
 * because a transfer that was made after all would pay the vendor twice.
 */
export const payoutReturnKind: AnyKind = kind<Content, Facts, Content & { at: Date }>({
  name: PAYOUT_RETURN,
  title: 'Return of a payout that is not made',
  content: compiled(content),
  proposedBy: 'finance.act',
  decidedBy: 'finance.act',
  about: ({ payoutId }) => payoutId,
  vendorId: (of) => of.vendorId,
  describe: (of) => [
    { label: 'Vendor', text: of.vid },
    { label: 'Amount', cents: of.cents },
    { label: 'Bank account', text: of.bankAccount },
    { label: 'Payout', text: of.payoutId },
  ],
  read: async (db, of, { lock }) => {
    if (lock) await lockFloat(db, of.vendorId);
    return { heldCents: (await findHold(db, of.payoutId))?.cents ?? 0n };
  },
  check: ({ heldCents }, of) => {
    if (heldCents === BigInt(of.cents)) return;
    throw new PlainError('The payout holds no money: it was booked, or returned.');
  },
  plan: (_facts, proposal) => ({ ...proposal.content, at: proposal.proposedAt }),
  show: (of) => [
    { label: 'Booked', text: `${of.vid}: held → collected`, cents: of.cents },
    { label: 'Transfer that is not made any more', text: of.bankAccount },
  ],
  apply: async (db, of, { at }) => {
    await giveAway(db, {
      ...{ holderId: of.payoutId, vendorId: of.vendorId, cents: BigInt(of.cents) },
      ...{ to: 'collected', at },
    });
  },
});
