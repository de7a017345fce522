import type { Queryable } from '../../platform/db/pool.ts';
import type { StaffRole } from './roles.ts';

export interface NewToken {
  tokenId: string;
  /** The owner. */
  personId: string;
  name: string;
  tokenRole: StaffRole;
  /** Permissions; null: all that the role has. */
  scopes: readonly string[] | null;
  /** CIDR notation; null: from anywhere. */
  addresses: readonly string[] | null;
  createdAt: Date;
  expiresAt: Date;
  tokenHash: Buffer;
  mac: Buffer;
}

/** False if the name exists. */
export async function insertToken(db: Queryable, token: NewToken): Promise<boolean> {
  const inserted = await db.query(
    `insert into program_tokens (created_at, expires_at, token_id, person_id, name, role, scopes, addresses,
       token_hash, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (name) do nothing`,
    [
      token.createdAt,
      token.expiresAt,
      token.tokenId,
      token.personId,
      token.name,
      token.tokenRole,
      token.scopes,
      token.addresses,
      token.tokenHash,
      token.mac,
    ],
  );
  return inserted.rowCount === 1;
}

export async function noteTokenUsed(db: Queryable, tokenId: string, now: Date): Promise<void> {
  await db.query('update program_tokens set used_at = $2 where token_id = $1', [tokenId, now]);
}

/** Ends the tokens of a person for good. */
export async function endTokensOf(db: Queryable, personId: string): Promise<void> {
  await db.query(
    `insert into ended_credentials (kind, id, ended_at)
     select 'token', token_id::text, now() from program_tokens where person_id = $1
     on conflict do nothing`,
    [personId],
  );
}
