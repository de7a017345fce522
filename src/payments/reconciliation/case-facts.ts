import type { NewCase } from '../cases/cases-store.ts';
import type { Absences } from './absences.ts';
import type { Match } from './match.ts';
import type { ReadStatement } from './read-statement.ts';
import type { KnownMovement, NewRow } from './store.ts';

export interface MatchedRow extends NewRow {
  /** Null for a movement that was in an earlier statement. */
  readonly match: Match | null;
  /** The movement as the earlier statement lists it; null: none does. */
  readonly before: KnownMovement | null;
}

/** The actions after a statement was matched and saved. */
export interface Differences {
  readonly statementId: string;
  readonly operator: string;
  readonly from: Date;
  readonly to: Date;
  readonly read: Pick<ReadStatement, 'openingCents' | 'closingCents'>;
  readonly rows: readonly MatchedRow[];
  readonly absences: Absences;
}

/** Builds the facts of a case about a row of the statement. Pure. */
export function factsOf(
  { movement, match, before }: MatchedRow,
  found: Differences,
): NewCase['facts'] {
  return {
    source: 'statement',
    statement_id: found.statementId,
    line: movement.line,
    movement: movement.kind,
    operator_reference: movement.operatorReference,
    reference: movement.reference,
    biller: movement.billerCode,
    account: movement.account,
    at: movement.at.toISOString(),
    paid_cents: Number(movement.amountCents),
    ...(before === null ? {} : { listed_before_cents: Number(before.amountCents) }),
    ...(match?.candidate ? { candidate: match.candidate.reference } : {}),
  };
}
