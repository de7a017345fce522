import type { Queryable } from '../../platform/db/pool.ts';
import { listCases } from '../cases/cases-store.ts';
import { listEntries } from '../house/entries-store.ts';
import { readConsumed } from '../house/store.ts';
import { sumOf } from '../house/journal.ts';
import { linesOf, listJournals } from '../house/journals-store.ts';
import { findOpenQuarantine } from '../quarantine/store.ts';

/** Something that one person has proposed. */
export interface Waiting {
  readonly kind: 'case' | 'entry' | 'journal' | 'quarantine';
  /** By which it is decided. */
  readonly id: string;
  /** What is proposed: a resolution, the kind of an entry, or `release`. */
  readonly proposed: string;
  /** The vendor, operator or source that it is about; null: our own accounts. */
  readonly about: string | null;
  readonly note: string;
  readonly amountCents: bigint | null;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  /** For an entry about a float. */
  readonly entry?: {
    readonly movedAt: Date;
    readonly debitAccount: string;
    readonly creditAccount: string;
    /** For an opening: what payments of the time before it have consumed, which is booked with it. */
    readonly consumedCents: bigint | null;
  };
}

export type WaitingKind = Waiting['kind'];

const SOURCES: Readonly<
  Record<WaitingKind, (db: Queryable, limit: number) => Promise<readonly Waiting[]>>
> = {
  case: readCases,
  entry: readEntries,
  journal: readJournals,
  quarantine: readQuarantine,
};

/** What waits for a second person, longest first. @param limit of each kind. */
export async function listWaiting(
  db: Queryable,
  kinds: readonly WaitingKind[],
  limit: number,
): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (const kind of kinds) found.push(...(await SOURCES[kind](db, limit)));
  return found.toSorted((one, other) => one.proposedAt.getTime() - other.proposedAt.getTime());
}

async function readCases(db: Queryable, limit: number): Promise<Waiting[]> {
  const cases = await listCases(db, { resolved: false, proposed: true, limit });
  return cases.flatMap((row) => {
    const { proposal, proposedBy, proposedAt } = row;
    if (proposal === null || proposedBy === null || proposedAt === null) return [];
    const { resolution, note, amount_cents: cents } = proposal;
    return {
      kind: 'case',
      id: row.caseId,
      proposed: resolution,
      about: row.vid ?? row.operatorCode,
      note,
      amountCents: cents === null ? row.paymentCents : BigInt(cents),
      proposedBy,
      proposedAt,
    };
  });
}

async function readEntries(db: Queryable, limit: number): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (const row of await listEntries(db, { open: true, limit })) {
    const { kind, subject, movedAt, debitAccount, creditAccount } = row;
    const consumedCents = kind === 'opening' ? await readConsumed(db, subject, movedAt) : null;
    waiting.push({
      kind: 'entry',
      id: row.entryId,
      proposed: kind,
      about: subject,
      note: `${row.reference}: ${row.note}`,
      amountCents: row.amountCents,
      proposedBy: row.proposedBy,
      proposedAt: row.proposedAt,
      entry: { movedAt, debitAccount, creditAccount, consumedCents },
    });
  }
  return waiting;
}

async function readJournals(db: Queryable, limit: number): Promise<Waiting[]> {
  const journals = await listJournals(db, { open: true, limit });
  return journals.map((row) => ({
    kind: 'journal',
    id: row.journalId,
    proposed: 'journal',
    about: null,
    note: `${row.reference}: ${row.note}`,
    amountCents: sumOf(linesOf(row), 'debit'),
    proposedBy: row.proposedBy,
    proposedAt: row.proposedAt,
  }));
}

async function readQuarantine(db: Queryable): Promise<Waiting[]> {
  const open = await findOpenQuarantine(db);
  const { forceProposalId, forceProposedBy, forceProposedAt } = open ?? {};
  if (!forceProposalId || !forceProposedBy || !forceProposedAt) return [];
  return [
    {
      kind: 'quarantine',
      id: forceProposalId,
      proposed: 'release',
      about: open?.forceMissing?.join(', ') ?? null,
      note: open?.forceReason ?? '',
      amountCents: null,
      proposedBy: forceProposedBy,
      proposedAt: forceProposedAt,
    },
  ];
}
