import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { findSummary, insertExport, readCodes } from './store.ts';
import type { ListedSummary } from './store.ts';

/**
 * Keeps that a summary journal is in the accounting software, once, with the codes of now. The same again changes nothing.
 * Throws: `PlainError` if there is no such journal, or it is there under another reference.
 */
export async function markExported(
  { pool, ledgerMac }: { readonly pool: Pool; readonly ledgerMac: Mac },
  number: number,
  { reference, by }: { readonly reference: string; readonly by: string },
): Promise<ListedSummary> {
  return await databaseTransaction(pool, async (client) => {
    if ((await findSummary(client, number)) === undefined) {
      throw new PlainError('This summary journal does not exist.', { field: 'number' });
    }
    const codes = JSON.stringify(await readCodes(client));
    const exportedAt = await postingTime(client);
    await insertExport(client, ledgerMac, {
      ...{ number, exportedAt, exportedBy: by, reference, codes },
    });
    const kept = await findSummary(client, number);
    if (kept?.reference === reference) return kept;
    const says = `It was exported as ${kept?.reference ?? ''}. That cannot be changed.`;
    throw new PlainError(says, { field: 'reference' });
  });
}
