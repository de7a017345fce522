import type { Queryable } from '../../platform/db/pool.ts';
import { HOUSE } from './cases-store.ts';

/** A movement as a later statement lists it, of the case that this opened. */
export interface StatementChange {
  kind: string;
  operatorReference: string;
  reference: string | null;
  amountCents: bigint;
}

/** Changed movements of an operator's statements, in the order in which they were found. */
export async function listStatementChanges(
  db: Queryable,
  operatorCode: string,
): Promise<StatementChange[]> {
  const listed = await db.query<StatementChange>(
    `select coalesce(facts ->> 'movement', '') as kind,
       coalesce(facts ->> 'operator_reference', '') as "operatorReference",
       facts ->> 'reference' as reference,
       coalesce((facts ->> 'paid_cents')::bigint, 0) as "amountCents"
     from cases where kind = 'statement_change' and operator_code = $1
     order by opened_at, case_id`,
    [operatorCode],
  );
  return listed.rows;
}

/**
 * Returns the gap between the closing balance before this time and the opening balance at it, in cents,
 * from the latest case about these balances; 0 without such a case.
 */
export async function findFloatDifference(
  db: Queryable,
  operatorCode: string,
  at: Date,
): Promise<bigint> {
  const found = await db.query<{ cents: bigint }>(
    `select coalesce((facts ->> 'closing_cents')::bigint, 0)
       - coalesce((facts ->> 'opening_cents')::bigint, 0) as cents
     from cases
     where bucket = bucket_of($1) and vendor_id = $1 and kind = 'float_difference'
       and operator_code = $2 and (facts ->> 'at')::timestamptz = $3
     order by opened_at desc, case_id desc limit 1`,
    [HOUSE, operatorCode, at],
  );
  return found.rows[0]?.cents ?? 0n;
}

/** The cases about callbacks with this reference of a payment that the ledger has lost. */
export async function listCallbackCases(
  db: Queryable,
  about: { readonly operatorCode: string | null; readonly reference: unknown },
): Promise<string[]> {
  if (typeof about.reference !== 'string') return [];
  const listed = await db.query<{ caseId: string }>(
    `select case_id as "caseId" from cases
     where bucket = bucket_of($1) and vendor_id = $1 and kind = 'unmatched_callback'
       and operator_code = $2 and upper(facts ->> 'reference') = upper($3)`,
    [HOUSE, about.operatorCode, about.reference],
  );
  return listed.rows.map(({ caseId }) => caseId);
}
