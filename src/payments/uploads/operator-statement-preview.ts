import { onTrial } from '../../platform/db/trial.ts';
import type { CaseKind } from '../cases/kinds.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { referenceOf } from '../cases/read-cases.ts';
import { importWithin } from '../reconciliation/import.ts';
import type { Imported } from '../reconciliation/import.ts';
import { listDifferences } from '../reconciliation/imported.ts';
import { listRows } from '../reconciliation/store.ts';
import type { ImportedRow } from '../reconciliation/store.ts';
import { readSupplied } from './operator-statement.ts';
import type { SuppliedStatement } from './operator-statement.ts';

/**
 * `settled`: ends a payment as paid. `failed`: ends one as failed, whose amount returns to the float. `held`: a person
 * has to decide. `booked`: goes to the accounts of the house. `known`: an earlier statement has it. `refused`: a
 * problem of the file, of which nothing would be imported.
 */
export type PreviewedOutcome =
  | 'settled'
  | 'failed'
  | 'held'
  | 'agrees'
  | 'booked'
  | 'known'
  | 'refused';

/** A row of a file, or a payment that the file does not list, and what the import would do with it now. */
export interface PreviewedMovement {
  /** Null: the file does not list it. */
  readonly line: number | null;
  readonly outcome: PreviewedOutcome;
  /** `ipay_reference` */
  readonly reference: string | null;
  readonly operatorReference: string | null;
  readonly account: string | null;
  readonly amountCents: bigint | null;
  readonly at: Date | null;
  readonly because: string | null;
}

/**
 * Looks at an operator's statement as its import would take it now: it is imported, and undone.
 * Throws: `PlainError` if the file does not exist or the period is not over.
 */
export async function previewOperatorStatement(
  deps: Parameters<typeof readSupplied>[0],
  request: SuppliedStatement,
): Promise<{
  /** The statement of an earlier import of the file. */
  readonly repeated: string | null;
  readonly lines: readonly PreviewedMovement[];
}> {
  const { asked, read } = await readSupplied(deps, request);
  if (read.problems.length > 0) {
    const lines = read.problems.map(({ line, field, text }) => ({
      ...{ ...NOTHING, line, outcome: 'refused' as const, because: `${field}: ${text}` },
    }));
    return { repeated: null, lines };
  }
  return await onTrial(deps.pool, async (client) => {
    const imported = await importWithin(client, asked, { ...read, pulled: false });
    const { statementId, repeated } = imported;
    const rows = await listRows(client, statementId);
    if (repeated) return { repeated: statementId, lines: rows.map(knownLine) };
    const cases = await listDifferences(client, statementId);
    return { repeated: null, lines: linesOf(imported, rows, cases) };
  });
}

const NOTHING = {
  ...{ line: null, reference: null, operatorReference: null, account: null },
  ...{ amountCents: null, at: null, because: null },
};

const knownLine = (row: ImportedRow): PreviewedMovement => lineOf(row, 'known', null);

function lineOf(
  row: ImportedRow,
  outcome: PreviewedOutcome,
  because: string | null,
): PreviewedMovement {
  const { line, operatorReference, account, amountCents, at } = row;
  const reference = paymentOf(row) ?? row.reference;
  return { line, outcome, reference, operatorReference, account, amountCents, at, because };
}

/** In the order of the file; then the payments that it does not list, and its balances. Pure. */
export function linesOf(
  { ended }: Pick<Imported, 'ended'>,
  rows: readonly ImportedRow[],
  cases: readonly CaseRow[],
): PreviewedMovement[] {
  const left = new Set(cases);
  const failing = new Map(
    ended.filter(({ outcome }) => outcome === 'failed').map((one) => [one.reference, one]),
  );
  const listed = rows.map((row) => {
    const own = cases.find((one) => left.has(one) && isAbout(one, row));
    if (own !== undefined) left.delete(own);
    const isFailing = row.verdict === 'reversed' && failing.delete(paymentOf(row) ?? '');
    const because = own === undefined ? (REASONS[row.verdict] ?? null) : CASES[own.kind];
    return lineOf(row, isFailing ? 'failed' : outcomeOf(row.verdict), because ?? null);
  });
  return [
    ...listed,
    ...[...failing.values()].map(({ reference, amountCents }) => ({
      ...{ ...NOTHING, outcome: 'failed' as const, reference, amountCents },
      because: 'the statement lists every payment, and not this one',
    })),
    ...[...left].map((one) => ({
      ...{ ...NOTHING, outcome: 'held' as const, reference: referenceOf(one) },
      ...{ amountCents: one.paymentCents, because: CASES[one.kind] ?? null },
    })),
  ];
}

function paymentOf({ vendorId, paymentId }: ImportedRow): string | null {
  return vendorId === null ? null : referenceOf({ vendorId, paymentId });
}

function isAbout({ facts, paymentId }: CaseRow, row: ImportedRow): boolean {
  const { line } = facts;
  return typeof line === 'number'
    ? line === row.line
    : paymentId !== null && paymentId === row.paymentId;
}

function outcomeOf(verdict: string): PreviewedOutcome {
  switch (verdict) {
    case 'settled':
      return 'settled';
    case 'matched':
    case 'reversed':
      return 'agrees';
    case 'noted':
      return 'booked';
    case 'repeated':
      return 'known';
    default:
      return 'held';
  }
}

/** Why a row has its outcome, if it opens no case. */
const REASONS: Readonly<Record<string, string>> = {
  reversed: 'paid, and given back',
  repeated: 'an earlier statement lists it',
  theirs_only: 'a case about it is open, or was decided',
  amount_difference: 'a case about it is open, or was decided',
  duplicate: 'a case about it is open, or was decided',
  changed: 'a case about it is open, or was decided',
};

/** The cases that a statement opens. */
const CASES: Readonly<Partial<Record<CaseKind, string>>> = {
  contradiction: 'a case is opened: our books say otherwise',
  amount_difference: 'a case is opened: the amounts differ',
  ours_only: 'a case is opened: the statement does not list this payment',
  theirs_only: 'a case is opened: our books do not have it',
  duplicate: 'a case is opened: it is listed twice',
  statement_change: 'a case is opened: an earlier statement lists it otherwise',
  float_difference: 'a case is opened: the balance differs from that of another statement',
};
