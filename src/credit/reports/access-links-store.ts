import { createHash, randomBytes } from 'node:crypto';
import type { Pool, Queryable } from '../../platform/db/pool.ts';

/** Random bytes in a token: too many to be guessed. */
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A link ends after this many wrong answers, because somebody else may have it. */
export const MAX_ATTEMPTS = 5;

/** Makes a link for a subject. Returns its token, which is not stored. */
export async function makeAccessLink(
  db: Queryable,
  link: {
    readonly crn: bigint;
    readonly evidence: string;
    readonly at: Date;
    readonly expiresAt: Date;
  },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await db.query(
    `insert into access_links (token_hash, crn, evidence, made_at, expires_at)
     values ($1, $2, $3, $4, $5)`,
    [hashOf(token), link.crn, link.evidence, link.at, link.expiresAt],
  );
  return token;
}

/**
 * Uses a link up. Returns its subject. Undefined if the token is unknown, used or expired, if it has
 * had too many attempts, or if the answer is wrong: the caller cannot tell these apart.
 * @param isAnswerRight whether what the person entered matches the subject.
 */
export async function useAccessLink(
  pool: Pool,
  {
    token,
    now,
    isAnswerRight,
  }: {
    readonly token: string;
    readonly now: Date;
    readonly isAnswerRight: (crn: bigint) => Promise<boolean>;
  },
): Promise<bigint | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashOf(token);
  const crn = await takeAttempt(pool, hash, now);
  if (crn === undefined || !(await isAnswerRight(crn))) return undefined;
  const used = await pool.query(
    'update access_links set used_at = $2 where token_hash = $1 and used_at is null',
    [hash, now],
  );
  return used.rowCount === 1 ? crn : undefined;
}

/** Counts an attempt before its answer is checked, so that concurrent attempts are limited too. */
async function takeAttempt(db: Queryable, hash: Buffer, now: Date): Promise<bigint | undefined> {
  const taken = await db.query<{ crn: bigint }>(
    `update access_links set attempts = attempts + 1
     where token_hash = $1 and used_at is null and expires_at > $2 and attempts < $3
     returning crn`,
    [hash, now, MAX_ATTEMPTS],
  );
  return taken.rows[0]?.crn;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
