import type { Static } from 'typebox';
import type { Done } from '../parties/people/audited.ts';
import { retireKey } from '../parties/administer.ts';
import { listKeysOf } from '../parties/read-keys.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Pool } from '../platform/db/pool.ts';
import { keyViews } from './key-view.ts';
import type { keys } from './key-view.ts';

/** Ends a former key or secret; the answer has those that are left. Throws: `not_found`; `PlainError` for the current one. */
export async function retireFormer(
  pool: Pool,
  holder: { readonly holderKind: 'vendor' | 'webhook'; readonly holder: string },
  keyId: string,
): Promise<Done<Static<typeof keys>>> {
  const known = await listKeysOf(pool, holder);
  if (!known.some((key) => key.keyId === keyId)) {
    throw new Refusal('not_found', { field: 'key_id' });
  }
  await retireKey(pool, holder, keyId);
  const items = keyViews(await listKeysOf(pool, holder));
  return { answer: { items }, change: { after: { key_id: keyId } } };
}
