import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { LifeRecord } from '../facts.ts';
import { startOfDay } from './day.ts';
import { MEMBERS_OF_FIRST_PARAMETER } from './read-merges.ts';

/** A record that a person made about the life of a subject. */
export interface SubjectLifeRecord {
  readonly status: LifeRecord['status'];
  readonly recordedAt: Date;
  /** `YYYY-MM-DD`, if known. */
  readonly diedOn: string | null;
  /** The document that the person saw. */
  readonly evidence: string;
}

/** The newest record of a person: null if there is none, undefined if the person is not on file. */
export async function findNewestLife(
  db: Queryable,
  crn: bigint,
): Promise<Pick<SubjectLifeRecord, 'status' | 'recordedAt'> | null | undefined> {
  const known = await db.query('select from subjects where crn = $1', [crn]);
  if (known.rowCount === 0) return undefined;
  return (await listLifeRecords(db, crn))[0] ?? null;
}

/**
 * Records that a subject died, or is alive after all. Returns false if there is no such subject.
 */
export async function addLifeRecord(
  db: Queryable,
  crn: bigint,
  record: SubjectLifeRecord,
): Promise<boolean> {
  const added = await db.query(
    `insert into subject_life_records (crn, record_id, recorded_at, status, died_on, evidence)
     select crn, $2, $3, $4, $5, $6 from subjects where crn = $1`,
    [crn, newId(), record.recordedAt, record.status, record.diedOn, record.evidence],
  );
  return added.rowCount === 1;
}

interface RecordedRow {
  status: LifeRecord['status'];
  recordedAt: Date;
}

/** Lenders report days, so the day counts. */
export function lifeRecordOf({ status, recordedAt }: RecordedRow, timeZone: string): LifeRecord {
  return { status, recordedOn: startOfDay(recordedAt, timeZone) };
}

/** The newest record of a subject, or of one that is merged into it. */
export async function readLifeRecord(
  db: Queryable,
  crn: bigint,
  timeZone: string,
): Promise<LifeRecord | undefined> {
  const read = await db.query<RecordedRow>({
    name: 'credit_file_life',
    text: `select status, recorded_at as "recordedAt" from subject_life_records
      where crn = ${MEMBERS_OF_FIRST_PARAMETER} order by recorded_at desc, record_id desc limit 1`,
    values: [crn],
  });
  const row = read.rows[0];
  return row === undefined ? undefined : lifeRecordOf(row, timeZone);
}

/** All records of a subject, newest first. */
export async function listLifeRecords(db: Queryable, crn: bigint): Promise<SubjectLifeRecord[]> {
  const read = await db.query<SubjectLifeRecord>(
    `select status, recorded_at as "recordedAt", died_on::text as "diedOn", evidence
      from subject_life_records
     where crn = ${MEMBERS_OF_FIRST_PARAMETER} order by recorded_at desc, record_id desc limit 1000`,
    [crn],
  );
  return read.rows;
}
