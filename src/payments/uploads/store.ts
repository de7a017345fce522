import type { Queryable } from '../../platform/db/pool.ts';

/** Keeps a part of a file, unless it is kept already. */
export async function insertPart(
  db: Queryable,
  part: { readonly sha256: Buffer; readonly part: number; readonly content: Buffer },
): Promise<void> {
  await db.query(
    `insert into uploaded_files (kept_at, sha256, part, content) values (now(), $1, $2, $3)
     on conflict do nothing`,
    [part.sha256, part.part, part.content],
  );
}

/** Undefined: the file has no such part. */
export async function findPart(
  db: Queryable,
  sha256: Buffer,
  part: number,
): Promise<Buffer | undefined> {
  const found = await db.query<{ content: Buffer }>(
    'select content from uploaded_files where sha256 = $1 and part = $2',
    [sha256, part],
  );
  return found.rows[0]?.content;
}

export interface AcceptedStatement {
  proposalId: string;
  sourceCode: string;
}

export async function insertAccepted(
  db: Queryable,
  { proposalId, sourceCode, at }: AcceptedStatement & { readonly at: Date },
): Promise<void> {
  await db.query(
    'insert into accepted_statements (proposal_id, source_code, accepted_at) values ($1, $2, $3)',
    [proposalId, sourceCode, at],
  );
}

/** Accepted statements whose lines are not all taken, oldest first. */
export async function listUnfinished(db: Queryable, limit: number): Promise<AcceptedStatement[]> {
  const listed = await db.query<AcceptedStatement>(
    `select proposal_id as "proposalId", source_code as "sourceCode" from accepted_statements
     where done_at is null order by accepted_at, proposal_id limit $1`,
    [limit],
  );
  return listed.rows;
}

export async function setDone(
  db: Queryable,
  proposalId: string,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  await db.query(
    'update accepted_statements set done_at = now(), counts = $2 where proposal_id = $1 and done_at is null',
    [proposalId, JSON.stringify(counts)],
  );
}
