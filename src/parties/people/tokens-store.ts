import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded } from './ended-store.ts';
import { SIGNED_COLUMNS } from './people-store.ts';
import type { SignedPerson } from './people-store.ts';
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

/** With its owner. */
export interface TokenRow extends Omit<NewToken, 'name'>, Omit<SignedPerson, 'name'> {
  tokenName: string;
  usedAt: Date | null;
  /** Of the person. */
  name: string;
  hasEnded: boolean;
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

const TOKENS = `select ${SIGNED_COLUMNS}, t.token_id as "tokenId", t.name as "tokenName", t.role as "tokenRole",
    t.scopes, t.addresses, t.created_at as "createdAt", t.expires_at as "expiresAt", t.used_at as "usedAt",
    t.token_hash as "tokenHash", t.mac, ${hasEnded('token', 't.token_id::text')} as "hasEnded"
  from program_tokens t join people p on p.person_id = t.person_id`;

/** The caller verifies the codes of token and person, and what they may. */
export async function findToken(db: Queryable, tokenHash: Buffer): Promise<TokenRow | undefined> {
  const found = await db.query<TokenRow>({
    name: 'find_program_token',
    text: `${TOKENS} where t.token_hash = $1`,
    values: [tokenHash],
  });
  return found.rows[0];
}

export async function findTokenNamed(db: Queryable, name: string): Promise<TokenRow | undefined> {
  const found = await db.query<TokenRow>(`${TOKENS} where t.name = $1`, [name]);
  return found.rows[0];
}

/** Newest first. */
export async function listTokens(
  db: Queryable,
  {
    before,
    limit,
  }: {
    readonly before?: { readonly at: Date; readonly id: string } | undefined;
    readonly limit: number;
  },
): Promise<TokenRow[]> {
  const listed = await db.query<TokenRow>(
    `${TOKENS} where $1::timestamptz is null or (t.created_at, t.token_id) < ($1, $2::uuid)
     order by t.created_at desc, t.token_id desc limit $3`,
    [before?.at ?? null, before?.id ?? null, limit],
  );
  return listed.rows;
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
