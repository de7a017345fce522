import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded } from './ended-store.ts';
import { SIGNED_COLUMNS } from './read-people.ts';
import type { SignedPerson } from './read-people.ts';
import type { NewToken } from './tokens-store.ts';

/** With its owner. */
export interface TokenRow extends Omit<NewToken, 'name'>, Omit<SignedPerson, 'name'> {
  tokenName: string;
  usedAt: Date | null;
  /** The person’s name. */
  name: string;
  hasEnded: boolean;
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
