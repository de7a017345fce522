import { centsAboveZero, codeField, filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { WireTime } from '../../platform/base/clock.ts';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Approved, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalFilter } from '../../proposals/store.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { findOperator, lockOperator } from '../billers/store.ts';
import { readCompleteUntil } from '../ledger/sums.ts';
import { findConfirmed, findListed, insertEntry, isEntered } from './entries-store.ts';
import { ENTRY_KINDS, isListedKind, requireAmount, requireReference, sidesOf } from './entry.ts';
import type { EntryKind, Sides } from './entry.ts';
import { bookedLines, timeField } from './fields.ts';
import { listUnknownBanks, postHouseTransfer, readConsumed, readFloatBeginning } from './store.ts';

export const HOUSE_ENTRY = 'house_entry';

const content = strict({
  operator: codeField,
  kind: Type.Enum([...ENTRY_KINDS]),
  cents: centsAboveZero,
  /** Reference of the bank, or of the operator. Each is entered only once. */
  reference: filledText(200),
  movedAt: timeField,
  /** The source whose account the money left or reached; null: not known yet. */
  bank: Type.Union([codeField, Type.Null()]),
});
type Content = Static<typeof content>;

interface Facts {
  readonly isOperator: boolean;
  readonly isBank: boolean;
  readonly isEntered: boolean;
  /** True: the books of the operator's float have begun. */
  readonly isBooked: boolean;
  readonly beganAt: Date | null;
  readonly listed: { readonly hasReference: boolean } | undefined;
  /** Amount that payments had consumed before an opening; null: the entry is of another kind. */
  readonly consumedCents: bigint | null;
  /** Set when an opening is decided: payments that are not committed yet get no time before this. */
  readonly completeUntil: Date | null;
}

interface Movement extends Sides {
  readonly amountCents: bigint;
}

interface Plan {
  readonly entry: Movement;
  /** The second transfer of an opening. */
  readonly consumed: Movement | null;
}

interface Deps {
  readonly ledgerMac: Mac;
  /** Formats times in texts. */
  readonly wireTime: WireTime;
}

/**
 * A movement of our float with an operator that one person enters and another one approves. The money
 * has moved, so it waits until somebody decides. At the decision, the operator is locked as by an
 * import of a statement, which may list the same movement.
 */
export const houseEntryKind = ({ ledgerMac, wireTime }: Deps): AnyKind =>
  kind<Content, Facts, Plan>({
    name: HOUSE_ENTRY,
    title: 'Entry about a float',
    content: compiled(content),
    proposedBy: 'finance.act',
    decidedBy: 'finance.act',
    about: (of) => `${of.kind} ${of.operator} ${plainReference(of.reference)}`,
    describe: (of) => [
      { label: 'Operator', text: of.operator },
      { label: 'Kind', text: of.kind },
      { label: 'Amount', cents: of.cents },
      { label: 'Reference', text: of.reference },
      { label: 'Money moved', text: wireTime.format(new Date(of.movedAt)) },
    ],
    read: async (db, of, { lock, proposalId }) => {
      if (lock) await lockOperator(db, of.operator);
      return await readFacts(db, of, proposalId !== null);
    },
    check: (facts, of) => requireBookable(facts, of, wireTime),
    plan: ({ consumedCents }, { content: of }) => {
      const entry = { ...sidesOf(of.kind, of.operator, of.bank), amountCents: BigInt(of.cents) };
      return { entry, consumed: consumedCents === null ? null : consumed(entry, consumedCents) };
    },
    show: ({ entry, consumed: before }) => [
      ...movementLines(entry),
      ...(before === null
        ? []
        : [{ label: 'Consumed by earlier payments, also booked' }, ...movementLines(before)]),
    ],
    isOver: ({ isEntered: isBooked }) => isBooked,
    remarks: ({ consumedCents }) =>
      consumedCents === null
        ? []
        : [
            {
              label: 'Balance',
              text: 'It must be from a time at which the operator was executing none of our payments. Otherwise they are counted twice or not at all.',
            },
          ],
    apply: async (db, plan, approval) => await apply(db, ledgerMac, plan, approval),
  });

async function readFacts(db: Queryable, of: Content, isDecided: boolean): Promise<Facts> {
  const { operator, bank } = of;
  const movedAt = new Date(of.movedAt);
  const reference = plainReference(of.reference);
  const isOpening = of.kind === 'opening';
  const movement = { operatorCode: operator, amountCents: BigInt(of.cents), movedAt, reference };
  const unknown = await listUnknownBanks(db, bank === null ? [] : [bank]);
  return {
    isOperator: (await findOperator(db, operator)) !== undefined,
    isBank: unknown.length === 0,
    isEntered: await isEntered(db, { ...of, subject: operator, reference }),
    ...(await readFloatBeginning(db, operator)),
    listed: isListedKind(of.kind)
      ? await findListed(db, { ...movement, kind: of.kind })
      : undefined,
    consumedCents: isOpening ? await readConsumed(db, operator, movedAt) : null,
    completeUntil: isOpening && isDecided ? await readCompleteUntil(db) : null,
  };
}

/**
 * Payments of the time before an opening have consumed part of what was there at first: without it,
 * that part would be missing in our books for ever.
 */
function consumed({ debitAccount, creditAccount }: Movement, cents: bigint): Movement | null {
  if (cents === 0n) return null;
  if (cents > 0n) return { debitAccount, creditAccount, amountCents: cents };
  return { debitAccount: creditAccount, creditAccount: debitAccount, amountCents: -cents };
}

const movementLines = ({ debitAccount, creditAccount, amountCents }: Movement): Line[] =>
  bookedLines([
    { account: debitAccount, side: 'debit', cents: String(amountCents) },
    { account: creditAccount, side: 'credit', cents: String(amountCents) },
  ]);

/** Throws: `PlainError` if the books have the movement already, or begin after it. */
function requireBookable(facts: Facts, of: Content, wireTime: WireTime): void {
  const movedAt = new Date(of.movedAt);
  if (!facts.isOperator) throw new PlainError(`Operator ${of.operator} does not exist.`);
  if (!facts.isBank) {
    throw new PlainError(`There is no account bank:${of.bank}.`, { field: 'from' });
  }
  requireNewOpening(facts, of);
  if (facts.beganAt !== null && movedAt < facts.beganAt) {
    const text = `The books of this float begin at ${wireTime.format(facts.beganAt)}; what was there then is its opening.`;
    throw new PlainError(text, { field: 'at' });
  }
  requireNotListed(facts);
  if (facts.isEntered) {
    throw new PlainError('This reference was entered before.', { field: 'reference' });
  }
  // Payments with an earlier time would be missing.
  if (facts.completeUntil === null || movedAt < facts.completeUntil) return;
  const text = `Payments may still be booked with a time before ${wireTime.format(movedAt)}. Try again in a moment, or enter an opening of an earlier time.`;
  throw new PlainError(text, { field: 'at' });
}

function requireNewOpening({ isBooked, beganAt }: Facts, of: Content): void {
  if (of.kind !== 'opening' || !isBooked) return;
  const text =
    beganAt === null
      ? 'The books of this float began without an opening, which has to be the first entry. Enter the difference that operator float shows as a top-up or a withdrawal.'
      : 'The books of this float already have an opening balance.';
  throw new PlainError(text, { field: 'kind' });
}

/** Throws: `PlainError` if the operator's statements list the movement. */
function requireNotListed({ listed }: Facts): void {
  if (listed === undefined) return;
  if (listed.hasReference) {
    const text =
      'The operator’s statements list this reference. What they list is booked, or is part of the opening.';
    throw new PlainError(text, { field: 'reference' });
  }
  const text =
    'The operator’s statements list top-ups, and one of this amount within three days is booked, or is part of the opening.';
  throw new PlainError(text, { field: 'amount' });
}

async function apply(
  db: Queryable,
  mac: Mac,
  plan: Plan,
  { proposal, by, at }: Approved<Content>,
): Promise<void> {
  const { proposalId: entryId, content: of, note, proposedBy } = proposal;
  const { operator: subject, reference } = of;
  const movedAt = new Date(of.movedAt);
  const entry = { entryId, kind: of.kind, subject, reference, movedAt, note };
  const made = { ...entry, ...plan.entry, proposedBy, decidedBy: by, decidedAt: at };
  const isNew = await insertEntry(db, made);
  if (!isNew) throw new PlainError('This reference was entered before.', { field: 'reference' });
  const people = { proposedBy, approvedBy: by, texts: [reference, note] };
  for (const [index, movement] of [plan.entry, plan.consumed].entries()) {
    if (movement === null) continue;
    const source = { source: 'entry', sourceId: entryId, part: index + 1 } as const;
    await postHouseTransfer(db, mac, { ...source, ...movement, movedAt, ...people });
  }
}

export interface EntryRequest {
  readonly operatorCode: string;
  readonly kind: EntryKind;
  readonly amountCents: bigint;
  readonly reference: string;
  readonly movedAt: Date;
  readonly bank: string | null;
  /** Why. */
  readonly note: string;
  readonly by: Actor;
}

/**
 * Proposes an entry about our float with an operator. Nothing is booked yet.
 * Throws: `PlainError` with the problem.
 */
export async function proposeEntry(
  proposals: Proposals,
  { operatorCode, amountCents, movedAt, bank, note, by, ...request }: EntryRequest,
): Promise<ProposalRow> {
  requireAmount(request.kind, amountCents);
  if (movedAt > new Date()) throw new PlainError('It must not be in the future.', { field: 'at' });
  const of = {
    ...{ operator: operatorCode, kind: request.kind, cents: String(amountCents), bank },
    ...{ reference: requireReference(request.reference), movedAt: movedAt.toISOString() },
  };
  return await proposals.propose({ kind: HOUSE_ENTRY, content: of, by, note });
}

/** An entry, with what has become of it. */
export interface Entry extends Movement {
  readonly row: ProposalRow;
  readonly content: Content;
  /** A statement lists the same movement. */
  readonly isListed: boolean;
}

/** Newest first. @param filter.open only those that wait for another person. */
export async function listEntries(
  pool: Pool,
  proposals: Proposals,
  filter: Pick<ProposalFilter, 'open' | 'before' | 'limit'>,
): Promise<Entry[]> {
  const rows = await proposals.list({ ...filter, kinds: [HOUSE_ENTRY] });
  const listed = await findConfirmed(
    pool,
    rows.map(({ proposalId }) => proposalId),
  );
  return rows.map((row) => entryOf(row, listed.has(row.proposalId)));
}

export function entryOf(row: ProposalRow, isListed = false): Entry {
  const of = row.content as Content;
  const sides = sidesOf(of.kind, of.operator, of.bank);
  return { row, content: of, ...sides, amountCents: BigInt(of.cents), isListed };
}
