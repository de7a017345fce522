import type { Queryable } from '../../platform/db/pool.ts';

export async function insertAccessLink(
  db: Queryable,
  link: {
    readonly hash: Buffer;
    readonly crn: bigint;
    readonly evidence: string;
    readonly at: Date;
    readonly expiresAt: Date;
    readonly mac: Buffer;
  },
): Promise<void> {
  await db.query(
    `insert into access_links (token_hash, crn, evidence, made_at, expires_at, mac)
     values ($1, $2, $3, $4, $5, $6)`,
    [link.hash, link.crn, link.evidence, link.at, link.expiresAt, link.mac],
  );
}

/** Counts an attempt before its answer is checked, so that concurrent attempts are limited too. */
export async function takeAttempt(
  db: Queryable,
  {
    hash,
    now,
    maxAttempts,
  }: { readonly hash: Buffer; readonly now: Date; readonly maxAttempts: number },
): Promise<{ crn: bigint; expiresAt: Date; mac: Buffer } | undefined> {
  const taken = await db.query<{ crn: bigint; expiresAt: Date; mac: Buffer }>(
    `update access_links set attempts = attempts + 1
     where token_hash = $1 and used_at is null and expires_at > $2 and attempts < $3
     returning crn, expires_at as "expiresAt", mac`,
    [hash, now, maxAttempts],
  );
  return taken.rows[0];
}

/** Uses a link up. False if somebody else has. */
export async function endAccessLink(db: Queryable, hash: Buffer, now: Date): Promise<boolean> {
  const used = await db.query(
    'update access_links set used_at = $2 where token_hash = $1 and used_at is null',
    [hash, now],
  );
  return used.rowCount === 1;
}
