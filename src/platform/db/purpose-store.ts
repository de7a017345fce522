import type { Queryable } from './pool.ts';

/** `sandbox`: its keys are public. `production`: the service of `npm run serve`. */
export type Purpose = 'sandbox' | 'production';

export interface PurposeRow {
  purpose: Purpose;
  markedAt: Date;
  /** When the demo data was ended that an earlier version's sandbox had put into it. */
  demoEndedAt: Date | null;
}

/** Undefined: nobody has started on the database yet. */
export async function findPurpose(db: Queryable): Promise<PurposeRow | undefined> {
  const found = await db.query<PurposeRow>(
    `select purpose, marked_at as "markedAt", demo_ended_at as "demoEndedAt" from database_purpose`,
  );
  return found.rows[0];
}

/** Marks the database, unless it has a mark. */
export async function insertPurpose(db: Queryable, row: PurposeRow): Promise<void> {
  await db.query(
    `insert into database_purpose (purpose, marked_at, demo_ended_at) values ($1, $2, $3)
     on conflict do nothing`,
    [row.purpose, row.markedAt, row.demoEndedAt],
  );
}
