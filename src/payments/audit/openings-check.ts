import { formatMoney } from '../../platform/base/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { readConsumed } from '../house/store.ts';
import type { Violation } from './violation.ts';

export const OPENINGS_INVARIANT = {
  name: 'house_openings_complete',
  says: 'The opening of a float is what its first statement with a balance says, or two people, and what payments had consumed by then.',
};

/** The opening of a float, and what the books have of it. */
interface OpeningRow {
  source: 'statement' | 'entry';
  sourceId: string;
  operatorCode: string;
  /** The opening includes what payments had consumed by this time. */
  at: Date;
  /** According to the statement or to people. */
  statedCents: bigint;
  /** Null: nothing. */
  bookedCents: bigint | null;
}

/** Computes the openings again, by the rule that books them. Each float has one, so there are few. */
export async function checkOpenings(
  db: Queryable,
  onInvariant?: (name: string) => void,
): Promise<Violation[]> {
  onInvariant?.(OPENINGS_INVARIANT.name);
  const violations: Violation[] = [];
  for (const opening of [...(await listOpenings(db)), ...(await listUnbooked(db))]) {
    const { operatorCode, at, statedCents, bookedCents } = opening;
    // A transfer is dated when it is posted: a later correction or settlement changes nothing here.
    const consumedCents = await readConsumed(db, operatorCode, at);
    const wantedCents = statedCents + consumedCents;
    const isRight = bookedCents === null ? wantedCents <= 0n : bookedCents === wantedCents;
    if (!isRight) violations.push(violationOf(opening, consumedCents));
  }
  return violations;
}

/** @param consumedCents what payments had consumed by then. */
function violationOf(opening: OpeningRow, consumedCents: bigint): Violation {
  const { source, sourceId, operatorCode } = opening;
  const booked = opening.bookedCents === null ? 'nothing' : formatMoney(opening.bookedCents);
  const [stated, consumed] = [formatMoney(opening.statedCents), formatMoney(consumedCents)];
  const detail = `house: opening of ${operatorCode} by ${source} ${sourceId}: ${booked} is booked, not ${stated} and the ${consumed} that payments had consumed`;
  return { invariant: OPENINGS_INVARIANT.name, vendorId: 0, detail };
}

/** Lists the openings in the books. An entry has two transfers; `house_equals_sources` checks the first. */
async function listOpenings(db: Queryable): Promise<OpeningRow[]> {
  const listed = await db.query<OpeningRow>(
    `select 'statement' as source, s.statement_id as "sourceId", s.operator as "operatorCode",
       s.period_start as at, s.opening_cents as "statedCents", t.amount_cents as "bookedCents"
     from house_transfers t join operator_statements s on s.statement_id = t.source_id
     where t.source = 'opening' and s.opening_cents is not null
     union all
     select 'entry', e.entry_id, e.subject, e.moved_at, e.amount_cents,
       e.amount_cents + case when t.debit_account = e.debit_account then t.amount_cents
         when t.debit_account is not null then -t.amount_cents else 0 end
     from house_entries e left join house_transfers t
       on t.source = 'entry' and t.source_id = e.entry_id and t.part = 2
     where e.kind = 'opening'`,
  );
  return listed.rows;
}

/** The transfers that book a float, and the statement that each comes from. */
const FLOAT_TRANSFERS = `
  select substr(a.account, length('operator-float:') + 1) as operator, t.posted_at,
    case when t.source = 'charges' then t.source_id else r.statement_id end as statement_id
  from house_transfers t left join statement_rows r
      on t.source = 'top_up' and r.row_id = t.source_id
    cross join lateral (values (t.debit_account), (t.credit_account)) a (account)
  where a.account like 'operator-float:%'`;

/**
 * Finds, for each float without an opening, the newest statement with a balance that was imported when
 * nothing was booked. When that was is known from what the statement booked itself; if it booked
 * nothing, it is within an hour after the import began, because an import waits for another one.
 */
async function listUnbooked(db: Queryable): Promise<OpeningRow[]> {
  const listed = await db.query<OpeningRow>(
    `with booked as materialized (${FLOAT_TRANSFERS}),
       own as (select statement_id, min(posted_at) as posted_at from booked group by statement_id)
     select distinct on (s.operator) 'statement' as source, s.statement_id as "sourceId",
       s.operator as "operatorCode", s.period_start as at, s.opening_cents as "statedCents",
       null::bigint as "bookedCents"
     from operator_statements s left join own using (statement_id)
     where s.opening_cents is not null
       and not exists (select from house_transfers t where t.source = 'opening'
         and t.debit_account = 'operator-float:' || s.operator)
       and not exists (select from house_entries e where e.kind = 'opening'
         and e.subject = s.operator)
       and not exists (select from booked b where b.operator = s.operator
         and b.statement_id is distinct from s.statement_id
         and b.posted_at <= coalesce(own.posted_at, s.imported_at + interval '1 hour'))
     order by s.operator, s.imported_at desc`,
  );
  return listed.rows;
}
