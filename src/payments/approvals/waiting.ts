import type { Queryable } from '../../platform/db/pool.ts';
import { listCases } from '../cases/cases-store.ts';

/** Something that one person has proposed. */
export interface Waiting {
  readonly kind: 'case';
  /** By which it is decided. */
  readonly id: string;
  /** The proposed resolution. */
  readonly proposed: string;
  /** The vendor or operator that it is about; null: neither. */
  readonly about: string | null;
  readonly note: string;
  readonly amountCents: bigint | null;
  readonly proposedBy: string;
  readonly proposedAt: Date;
}

export type WaitingKind = Waiting['kind'];

const SOURCES: Readonly<
  Record<WaitingKind, (db: Queryable, limit: number) => Promise<readonly Waiting[]>>
> = {
  case: readCases,
};

/** Lists proposals that wait for a second person, longest first. @param limit of each kind. */
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
