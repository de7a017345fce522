import { textArray, timestampArray, uuidArray } from '../platform/db/arrays.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { HolderKind } from './read-keys.ts';

/** One use of a nonce by one request. */
export interface NonceUse {
  readonly holderKind: Exclude<HolderKind, 'operator'>;
  readonly holder: string;
  readonly nonce: string;
  readonly useId: string;
  readonly expiresAt: Date;
}

/**
 * Writes uses of nonces, all different within the call. Returns for each whether it is the first
 * use of its nonce. Repeating a committed call returns the same.
 */
export async function insertNonces(db: Queryable, uses: readonly NonceUse[]): Promise<boolean[]> {
  const written = await db.query<{ useId: string }>({
    name: 'insert nonces',
    text: `insert into request_nonces as n (holder_kind, holder, nonce, use_id, expires_at)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[])
      on conflict (holder_kind, holder, nonce) do update set use_id = n.use_id
      returning n.use_id as "useId"`,
    values: [
      textArray(uses.map((use) => use.holderKind)),
      textArray(uses.map((use) => use.holder)),
      textArray(uses.map((use) => use.nonce)),
      uuidArray(uses.map((use) => use.useId)),
      timestampArray(uses.map((use) => use.expiresAt)),
    ],
  });
  const first = new Set(written.rows.map((row) => row.useId));
  return uses.map((use) => first.has(use.useId));
}

/** Maximum number of rows per clean-up. */
const FORGOTTEN_ROWS = 10_000;

/** Removes expired nonces; returns how many, at most 10,000. */
export async function deleteExpiredNonces(db: Queryable, now: Date): Promise<number> {
  const deleted = await db.query(
    `delete from request_nonces where (holder_kind, holder, nonce) in
       (select holder_kind, holder, nonce from request_nonces
        where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
    [now, FORGOTTEN_ROWS],
  );
  return deleted.rowCount ?? 0;
}
