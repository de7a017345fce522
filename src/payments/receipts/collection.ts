import { centsAboveZero, filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { collectWithin, isFarAhead } from '../collections/collect.ts';
import type { CollectedIncome } from '../collections/collect.ts';
import { findCollection, listCollectionsLike } from '../collections/store.ts';
import { timeField } from '../house/fields.ts';
import { lockFloat } from '../ledger/store.ts';
import { hasReceipt, RECEIPT_KNOWN, requireNoReceipt } from './identify.ts';
import { lockNumber } from './identity-store.ts';
import { findReceiptsLike } from './read-receipts.ts';
import { mayCollect } from './hindrance.ts';

const COLLECTION = 'collection';

const content = strict({
  collector: filledText(64),
  /** The collector's own. */
  reference: filledText(64),
  vendorId: Type.Integer(),
  vid: filledText(64),
  cents: centsAboveZero,
  /** When the customer paid. */
  paidAt: timeField,
});
type Content = Static<typeof content>;

interface Facts {
  readonly isKnown: boolean;
  readonly hasReceipt: boolean;
  readonly mayCollect: boolean;
  readonly isFarAhead: boolean;
  /** Income of this amount with a similar reference, and receipts of this number, of any amount. */
  readonly alike: readonly string[];
}

interface Plan {
  readonly of: Content;
  readonly alike: readonly string[];
}

/**
 * Income that a person reports in a collector's name. The collector itself signs its reports; on the command line, a
 * second person takes the place of the signature.
 */
export const collectionKind = ({
  ledgerMac,
  wireTime,
}: {
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
}): AnyKind =>
  kind<Content, Facts, Plan>({
    name: COLLECTION,
    title: 'Income in a collector’s name',
    content: compiled(content),
    ...{ proposedBy: 'receipts.act', decidedBy: 'receipts.act' },
    // A changed mind is a new proposal.
    ...{ replaces: true, actsAlone: mayActAlone },
    about: ({ collector, reference }) => `${collector} ${reference}`,
    vendorId: ({ vendorId }) => vendorId,
    describe: (of) => linesOf(of, wireTime),
    read: async (db, of, { lock }) => {
      const income = incomeOf(of);
      if (lock) {
        // In the order in which a collector's own report locks them.
        await lockFloat(db, of.vendorId);
        await lockNumber(db, of.reference);
      }
      return await readFacts(db, income);
    },
    check: requireCollectable,
    plan: ({ alike }, { content: of }) => ({ of, alike }),
    // A part of what is approved: of two spellings that wait, the second one is looked at again after the first.
    show: ({ of, alike }) => [
      ...linesOf(of, wireTime),
      ...(alike.length === 0 ? [] : [{ label: 'Reported alike', text: alike.join(', ') }]),
    ],
    isOver: ({ isKnown }) => isKnown,
    apply: async (db, { of }) => {
      const income = incomeOf(of);
      await collectWithin(db, ledgerMac, income, async (client) => {
        await requireNoReceipt(client, income);
      });
    },
  });

/** Throws: `PlainError` with the problem. If there is no second person, it is collected, and the row has a decision. */
export async function proposeCollection(
  proposals: Proposals,
  {
    income,
    vid,
    ...request
  }: {
    readonly income: CollectedIncome;
    readonly vid: string;
    readonly by: Actor;
    readonly note: string;
  },
): Promise<ProposalRow> {
  const { collector, reference, vendorId, amountCents, paidAt } = income;
  const made = { collector, reference, vendorId, vid };
  const proposed = { ...made, cents: String(amountCents), paidAt: paidAt.toISOString() };
  return await proposals.propose({ ...request, kind: COLLECTION, content: proposed });
}

const incomeOf = ({ collector, reference, vendorId, cents, paidAt }: Content): CollectedIncome => ({
  ...{ collector, reference, vendorId, amountCents: BigInt(cents), paidAt: new Date(paidAt) },
});

const linesOf = (of: Content, wireTime: WireTime): readonly Line[] => [
  { label: 'Credited as collected income', text: of.vid, cents: of.cents },
  { label: 'Collector', text: of.collector },
  { label: 'Reference', text: of.reference },
  { label: 'Customer paid', text: wireTime.format(new Date(of.paidAt)) },
];

async function readFacts(db: Queryable, income: CollectedIncome): Promise<Facts> {
  const { collector, reference, amountCents, vendorId, paidAt } = income;
  const alike = await listCollectionsLike(db, [reference], amountCents);
  const receipts = await findReceiptsLike(db, reference);
  return {
    isKnown: (await findCollection(db, collector, reference)) !== undefined,
    hasReceipt: await hasReceipt(db, income),
    mayCollect: await mayCollect(db, collector, vendorId),
    isFarAhead: isFarAhead(paidAt, Date.now()),
    alike: [
      ...alike.map((one) => `${one.collector} ${one.reference}`),
      ...receipts.map((one) => `${one.issuer} ${one.receipt} ${formatMoney(one.amountCents)}`),
    ],
  };
}

/** Throws: `PlainError` with what stands against it. */
function requireCollectable(facts: Facts, { collector, reference, vid }: Content): void {
  if (facts.isKnown) {
    const text = `${collector} has reported ${reference} already. It is credited once.`;
    throw new PlainError(text, { field: 'reference' });
  }
  if (facts.hasReceipt) throw new PlainError(`${RECEIPT_KNOWN}.`, { field: 'reference' });
  if (facts.isFarAhead) {
    throw new PlainError('It is more than a day in the future.', { field: 'paid_at' });
  }
  if (facts.mayCollect) return;
  const text = `Collector ${collector} is suspended or may not collect for ${vid}.`;
  throw new PlainError(text, { field: 'vid' });
}
