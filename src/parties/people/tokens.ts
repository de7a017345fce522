import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { createNetworks, isNetwork } from '../../platform/networks.ts';
import { isAuthentic } from './authenticity.ts';
import { insertEnded } from './ended-store.ts';
import { masterMac } from './known-devices.ts';
import { isAllowed, permissionsOf } from './permissions.ts';
import type { Permission } from './permissions.ts';
import type { StaffRole } from './roles.ts';
import { hashOf } from './sessions.ts';
import { insertToken, noteTokenUsed } from './tokens-store.ts';
import { findToken, findTokenNamed } from './read-tokens.ts';
import type { NewToken } from './tokens-store.ts';
import type { TokenRow } from './read-tokens.ts';

/** Use is recorded at most this often. */
const USED_EVERY_MS = 60_000;

/** Recognisable for programs that search for leaked secrets. */
const TOKEN = /^malipo_[A-Za-z0-9_-]{43}$/;
/** The sandbox's staff token. It is public. */
export const DEMO_STAFF_TOKEN = 'demo-staff-token';

export interface TokenDeps {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
}

export interface TokenRequest {
  /** The owner: whoever makes it. */
  readonly personId: string;
  readonly name: string;
  readonly role: StaffRole;
  readonly scopes: readonly Permission[] | null;
  readonly addresses: readonly string[] | null;
  readonly expiresAt: Date;
}

/**
 * Makes a token and returns its text, which is stored only as a hash. It acts for its owner: nobody makes one for
 * somebody else, in whose name he could propose what he approves.
 * @param token default: a new one. Throws: `PlainError` with the problem.
 */
export async function addToken(
  { pool, masterKeys, clock }: TokenDeps,
  request: TokenRequest,
  token = `malipo_${randomBytes(32).toString('base64url')}`,
): Promise<{ readonly token: string; readonly row: TokenRow }> {
  const { role, scopes, addresses, expiresAt, ...named } = request;
  const beyond = scopes?.find((scope) => !isAllowed(role, scope));
  if (beyond !== undefined) {
    throw new PlainError(`The role ${role} has no permission ${beyond}.`, { field: 'scopes' });
  }
  const createdAt = clock.now();
  const made = {
    ...{ ...named, tokenId: newId(), tokenRole: role, scopes, createdAt },
    addresses: addresses?.map(requireNetwork) ?? null,
    expiresAt,
    tokenHash: hashOf(token),
  };
  const mac = codesOf(masterKeys).sign(tokenText(made));
  if (!(await insertToken(pool, { ...made, mac }))) {
    throw new PlainError('A token of this name exists or existed.', { field: 'name' });
  }
  const row = await findTokenNamed(pool, made.name);
  if (row === undefined) throw new Error('the token is gone');
  return { token, row };
}

/** From the next request on, in every process. Throws: `PlainError`. */
export async function revokeToken(pool: Pool, name: string): Promise<TokenRow> {
  const row = await findTokenNamed(pool, name);
  if (row === undefined) throw new PlainError('There is no token of this name.', { field: 'name' });
  await insertEnded(pool, 'token', row.tokenId);
  return { ...row, hasEnded: true };
}

/** A token that may be used now. */
export interface ProgramToken {
  readonly row: TokenRow;
  /** The owner. */
  readonly personId: string;
  /** Null: tokens belong to members of staff. */
  readonly vid: null;
  /** Never more than its owner has now. */
  readonly permissions: ReadonlySet<Permission>;
}

export interface Tokens {
  /** Whose token it is; undefined: nobody's any more, or the service did not make it. */
  find(token: string): Promise<ProgramToken | undefined>;
  /** Not of a request from an address that the token does not allow. */
  noteUsed(token: ProgramToken): Promise<void>;
}

/** @param options.isSandbox where the public token counts. */
export function createTokens(
  options: TokenDeps & { readonly ledgerMac: Mac; readonly isSandbox: boolean },
): Tokens {
  const { pool, masterKeys, clock, ledgerMac, isSandbox } = options;
  const codes = codesOf(masterKeys);
  return {
    find: async (token) => {
      if (!TOKEN.test(token) && !(isSandbox && token === DEMO_STAFF_TOKEN)) return undefined;
      const row = await findToken(pool, hashOf(token));
      if (row === undefined || !codes.verify(tokenText(row), row.mac)) return undefined;
      const now = clock.now();
      if (!isValid(row, now) || !isAuthentic(row, ledgerMac)) return undefined;
      return { row, personId: row.personId, vid: null, permissions: permissionsFor(row) };
    },
    noteUsed: async ({ row: { tokenId, usedAt } }) => {
      const now = clock.now();
      if (usedAt !== null && now.getTime() - usedAt.getTime() <= USED_EVERY_MS) return;
      await noteTokenUsed(pool, tokenId, now);
    },
  };
}

/** True if the token may be used from this address. */
export function isFrom({ row: { addresses } }: ProgramToken, address: string): boolean {
  return addresses === null || createNetworks(addresses)(address);
}

export function isValid(row: TokenRow, now: Date): boolean {
  const isOfStaff = row.vendorId === null && row.status === 'active' && row.waitsFor === null;
  // An inserted `infinity` is not finite.
  return (
    isOfStaff && !row.hasEnded && Number.isFinite(Number(row.expiresAt)) && row.expiresAt > now
  );
}

/** A token may what its owner has now, its role allows and its scopes name. */
function permissionsFor({ role, tokenRole, scopes }: TokenRow): ReadonlySet<Permission> {
  return new Set(
    permissionsOf(role).filter(
      (permission) =>
        isAllowed(tokenRole, permission) && (scopes === null || scopes.includes(permission)),
    ),
  );
}

function codesOf(masterKeys: MasterKeys): Mac {
  return masterMac(masterKeys, 'malipo program tokens');
}

function tokenText(
  token: Pick<
    NewToken,
    'tokenHash' | 'tokenId' | 'personId' | 'tokenRole' | 'scopes' | 'addresses' | 'expiresAt'
  > & { readonly name: string; readonly tokenName?: string },
): string {
  return JSON.stringify([
    'program_tokens',
    token.tokenHash.toString('hex'),
    token.tokenId,
    token.personId,
    token.tokenName ?? token.name,
    token.tokenRole,
    token.scopes,
    token.addresses,
    Number(token.expiresAt),
  ]);
}

/** Throws: `PlainError` (field `addresses`). */
function requireNetwork(text: string): string {
  if (isNetwork(text)) return text;
  const says = `${text} is neither an address nor a network such as 192.0.2.0/24.`;
  throw new PlainError(says, { field: 'addresses' });
}
