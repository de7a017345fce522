import type { WireTime } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { requireAnother, requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { plainReference } from '../../platform/base/written-alike.ts';
import { requireFound, requireOpen, requireUnaltered } from '../../platform/base/proposal.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { findOperator, lockOperator } from '../billers/store.ts';
import { postingTime } from '../ledger/store.ts';
import { readCompleteUntil } from '../ledger/sums.ts';
import { findEntry, findListed, insertEntry, lockEntry, setDecision } from './entries-store.ts';
import type { EntryRow } from './entries-store.ts';
import {
  entryProposalText,
  isListedKind,
  requireAmount,
  requireReference,
  sidesOf,
} from './entry.ts';
import type { EntryKind } from './entry.ts';
import { postHouseTransfer, readConsumed, readFloatBeginning } from './store.ts';
import type { HouseTransfer } from './transfer.ts';

interface EntryDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  /** For the times in errors. */
  readonly wireTime: WireTime;
}

export interface EntryRequest {
  readonly operatorCode: string;
  readonly kind: EntryKind;
  readonly amountCents: bigint;
  /** Of the bank, or of the operator: the same one is entered once. */
  readonly reference: string;
  readonly movedAt: Date;
  /** The source whose account the money left or reached; null: not known yet. */
  readonly bank: string | null;
  readonly note: string;
  readonly by: string;
}

/**
 * Proposes an entry about our float with an operator. Nothing is booked yet.
 * Throws: `PlainError` with the problem.
 */
export async function proposeEntry(
  { pool, ledgerMac, wireTime }: EntryDeps,
  request: EntryRequest,
): Promise<EntryRow> {
  const proposedBy = requirePerson(request.by);
  const { operatorCode, kind, amountCents, movedAt, bank, note } = request;
  const reference = requireReference(request.reference);
  requireAmount(kind, amountCents);
  if (movedAt > new Date()) throw new PlainError('It must not be in the future.', { field: 'at' });
  return await databaseTransaction(pool, async (client) => {
    if ((await findOperator(client, operatorCode)) === undefined) {
      throw new PlainError(`Operator ${operatorCode} does not exist.`);
    }
    await requireNew(client, request, wireTime);
    const entryId = newId();
    const entry = {
      ...{ entryId, kind, subject: operatorCode, reference, amountCents, movedAt, note },
      ...sidesOf(kind, operatorCode, bank),
      ...{ proposedBy, proposedAt: await postingTime(client) },
    };
    const proposalMac = ledgerMac.sign(entryProposalText(entry));
    if (!(await insertEntry(client, { ...entry, proposalMac }))) {
      throw new PlainError('This reference was entered before.', { field: 'reference' });
    }
    return requireFound(await findEntry(client, entryId), 'entry');
  });
}

/**
 * Books another person's entry.
 * Throws: `PlainError` if the service did not record it as it is, or it cannot be booked any more.
 */
export async function approveEntry(
  deps: EntryDeps,
  request: { readonly entryId: string; readonly by: string },
): Promise<EntryRow> {
  const approvedBy = requirePerson(request.by);
  return await databaseTransaction(deps.pool, async (client) => {
    const { subject } = requireFound(await findEntry(client, request.entryId), 'entry');
    // As an import of a statement does, which may list the same movement.
    await lockOperator(client, subject);
    const entry = requireOpen(await lockEntry(client, request.entryId), 'entry');
    const { entryId, proposedBy } = entry;
    requireAnother(proposedBy, approvedBy);
    requireUnaltered(deps.ledgerMac, entryProposalText(entry), entry.proposalMac);
    await requireNew(client, { ...entry, operatorCode: subject }, deps.wireTime);
    await setDecision(client, entryId, { decision: 'approved', person: approvedBy });
    const transfers = [transferOf(entry, approvedBy)];
    if (entry.kind === 'opening') {
      const consumedCents = await readConsumedBefore(client, entry, deps.wireTime);
      transfers.push(...consumedBefore(transferOf(entry, approvedBy), consumedCents));
    }
    for (const transfer of transfers) await postHouseTransfer(client, deps.ledgerMac, transfer);
    return requireFound(await findEntry(client, entryId), 'entry');
  });
}

function transferOf(entry: EntryRow, approvedBy: string): HouseTransfer {
  const { entryId, debitAccount, creditAccount, amountCents, movedAt, proposedBy } = entry;
  const source = { source: 'entry', sourceId: entryId, part: 1 } as const;
  const people = { proposedBy, approvedBy, texts: [entry.reference, entry.note] };
  return { ...source, debitAccount, creditAccount, amountCents, movedAt, ...people };
}

/** Throws: `PlainError` while payments may still be booked before the opening: they would be missing. */
async function readConsumedBefore(
  db: Queryable,
  { subject, movedAt }: Pick<EntryRow, 'subject' | 'movedAt'>,
  wireTime: WireTime,
): Promise<bigint> {
  if (movedAt >= (await readCompleteUntil(db))) {
    const text = `Payments may still be booked with a time before ${wireTime.format(movedAt)}. Try again in a moment, or enter an opening of an earlier time.`;
    throw new PlainError(text, { field: 'at' });
  }
  return await readConsumed(db, subject, movedAt);
}

/**
 * What vendors’ payments of the time before an opening have consumed is part of what was there at first:
 * otherwise it would be missing in our books for ever. @param consumedCents negative: more was returned.
 */
function consumedBefore(opening: HouseTransfer, consumedCents: bigint): HouseTransfer[] {
  if (consumedCents === 0n) return [];
  const { debitAccount, creditAccount } = opening;
  return [
    consumedCents > 0n
      ? { ...opening, part: 2, amountCents: consumedCents }
      : {
          ...{ ...opening, part: 2, amountCents: -consumedCents },
          ...{ debitAccount: creditAccount, creditAccount: debitAccount },
        },
  ];
}

/** Anybody may reject an entry, also who proposed it. Throws: `PlainError` if it was decided. */
export async function rejectEntry(
  pool: Pool,
  request: { readonly entryId: string; readonly by: string },
): Promise<EntryRow> {
  const person = requirePerson(request.by);
  return await databaseTransaction(pool, async (client) => {
    const { entryId } = requireOpen(await lockEntry(client, request.entryId), 'entry');
    await setDecision(client, entryId, { decision: 'rejected', person });
    return requireFound(await findEntry(client, entryId), 'entry');
  });
}

/** Throws: `PlainError` if the books have the movement already, or begin after it. */
async function requireNew(
  db: Queryable,
  entry: Pick<EntryRequest, 'operatorCode' | 'kind' | 'amountCents' | 'movedAt' | 'reference'>,
  wireTime: WireTime,
): Promise<void> {
  const { operatorCode, kind, movedAt } = entry;
  const { isBooked, beganAt } = await readFloatBeginning(db, operatorCode);
  if (kind === 'opening' && isBooked) {
    const text =
      beganAt === null
        ? 'The books of this float began without an opening, which has to be the first entry. Enter the difference that operator float shows as a top-up or a withdrawal.'
        : 'The books of this float already have an opening balance.';
    throw new PlainError(text, { field: 'kind' });
  }
  if (beganAt !== null && movedAt < beganAt) {
    const text = `The books of this float begin at ${wireTime.format(beganAt)}; what was there then is its opening.`;
    throw new PlainError(text, { field: 'at' });
  }
  if (isListedKind(kind)) await requireNotListed(db, { ...entry, kind });
}

/** Throws: `PlainError` if the operator's statements list the movement. */
async function requireNotListed(
  db: Queryable,
  movement: Parameters<typeof findListed>[1],
): Promise<void> {
  const reference = plainReference(movement.reference);
  const listed = await findListed(db, { ...movement, reference });
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
