import type { Queryable } from '../../platform/db/pool.ts';

export interface PullRow {
  operator: string;
  status: 'on' | 'off';
  everyMinutes: number;
  delayMinutes: number;
  pulledUntil: Date;
  /** Why the last pull failed; null: it did not. */
  lastError: string | null;
}

const PULLS = `select operator, status, every_minutes as "everyMinutes",
    delay_minutes as "delayMinutes", pulled_until as "pulledUntil", last_error as "lastError"
  from statement_pulls`;

export async function listPulls(db: Queryable): Promise<PullRow[]> {
  return (await db.query<PullRow>(`${PULLS} order by operator`)).rows;
}

export async function findPull(db: Queryable, operator: string): Promise<PullRow | undefined> {
  return (await db.query<PullRow>(`${PULLS} where operator = $1`, [operator])).rows[0];
}

/** Operators that are not known yet are pulled from this day on, a day at a time. */
export async function insertMissingPulls(
  db: Queryable,
  operators: readonly string[],
  from: Date,
): Promise<void> {
  await db.query(
    `insert into statement_pulls (operator, pulled_until)
     select operator, $2 from unnest($1::text[]) as operator order by operator
     on conflict do nothing`,
    [operators, from],
  );
}

export async function putPull(db: Queryable, row: Omit<PullRow, 'lastError'>): Promise<void> {
  await db.query(
    `insert into statement_pulls (operator, status, every_minutes, delay_minutes, pulled_until)
     values ($1, $2, $3, $4, $5)
     on conflict (operator) do update set status = excluded.status,
       every_minutes = excluded.every_minutes, delay_minutes = excluded.delay_minutes,
       pulled_until = excluded.pulled_until, due_at = '-infinity'`,
    [row.operator, row.status, row.everyMinutes, row.delayMinutes, row.pulledUntil],
  );
}

/** The operator, if it is due; no other process gets it for `leaseMs`. */
export async function takePull(
  db: Queryable,
  operator: string,
  leaseMs: number,
): Promise<PullRow | undefined> {
  const taken = await db.query<PullRow>(
    `update statement_pulls set due_at = now() + $2 * interval '1 millisecond'
     where operator = $1 and status = 'on' and due_at <= now()
     returning operator, status, every_minutes as "everyMinutes", delay_minutes as "delayMinutes",
       pulled_until as "pulledUntil", last_error as "lastError"`,
    [operator, leaseMs],
  );
  return taken.rows[0];
}

export async function setPulledUntil(db: Queryable, operator: string, until: Date): Promise<void> {
  await db.query(
    `update statement_pulls set pulled_until = greatest(pulled_until, $2), last_error = null
     where operator = $1`,
    [operator, until],
  );
}

export async function setPullError(db: Queryable, operator: string, error: string): Promise<void> {
  await db.query('update statement_pulls set last_error = $2 where operator = $1', [
    operator,
    error,
  ]);
}

/** The next statement may be pulled at once. */
export async function endTurn(db: Queryable, operator: string): Promise<void> {
  await db.query(`update statement_pulls set due_at = '-infinity' where operator = $1`, [operator]);
}
