import type { Queryable } from '../db/pool.ts';

/** A process that uses the database. */
export interface UsingProcess {
  /** The name shown to people. */
  readonly name: string;
  readonly seenAt: Date;
}

/** The process has stopped, after it saw that the database has everything that it did. */
export async function removeProcess(db: Queryable, processId: string): Promise<void> {
  await db.query('delete from database_processes where process_id = $1', [processId]);
}

/** Lists processes that have not confirmed that all their work survived the last change. */
export async function listAbsent(db: Queryable): Promise<readonly UsingProcess[]> {
  const listed = await db.query<UsingProcess>(
    `select name, seen_at as "seenAt" from database_processes
     where epoch < (select epoch from database_history) order by name, process_id`,
  );
  return listed.rows;
}

/** Lists processes that used the database before its last change and have confirmed it. */
export async function listConfirmed(db: Queryable): Promise<readonly UsingProcess[]> {
  const listed = await db.query<UsingProcess>(
    `select name, seen_at as "seenAt" from database_processes
     where epoch = (select epoch from database_history) and first_epoch < epoch
     order by name, process_id`,
  );
  return listed.rows;
}

/** Nobody waits for them any more, because people have decided what was lost. */
export async function forgetAbsent(db: Queryable): Promise<void> {
  await db.query(
    'delete from database_processes where epoch < (select epoch from database_history)',
  );
}

/** Counts how often the database was found restored, replaced or promoted. */
export async function countChanges(db: Queryable): Promise<number> {
  const read = await db.query<{ epoch: number }>('select epoch from database_history');
  return read.rows[0]?.epoch ?? 0;
}
