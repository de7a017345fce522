import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { openDispute } from './disputes-store.ts';
import type { AccountRef } from './read-withdrawals.ts';
import type { Vault } from './vault.ts';

/** Opens a subject's dispute about an account, in the subject's words. Returns its id. Throws: `invalid_field`. */
export async function disputeAccount(
  {
    pool,
    vault,
    clock,
  }: { readonly pool: Queryable; readonly vault: Vault; readonly clock: Clock },
  about: AccountRef,
  statement: string,
): Promise<string> {
  const made = { ...about, statement: statement.trim(), at: clock.now() };
  const id = await openDispute(pool, vault, made);
  if (id !== undefined) return id;
  const text = 'The subject does not have this account, or disputes it already.';
  throw new Refusal('invalid_field', { field: 'account', text });
}
