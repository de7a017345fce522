import { listLeftClaims } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';
import { credit } from './take.ts';
import type { ReceiptDeps } from './take.ts';

/** Claims read at a time. */
const PAGE = 1_000;

/**
 * Credits what a process claimed and did not credit. Returns how many. Those that have to wait, for
 * example because their collector is suspended, do not hold up later ones.
 * @param logged the receipts that an earlier run has logged as waiting: a process logs each once.
 */
export async function creditLeftClaims(
  deps: ReceiptDeps,
  logged: Set<string> = new Set(),
  limit = PAGE,
): Promise<number> {
  const left = new Set<string>();
  let [credited, after]: [number, string | null] = [0, null];
  for (;;) {
    const rows: ReceiptRow[] = await listLeftClaims(deps.pool, { after, limit });
    for (const row of rows) {
      left.add(row.receiptId);
      if (await creditLeft(deps, row, logged.has(row.receiptId))) credited += 1;
      logged.add(row.receiptId);
    }
    after = rows.at(-1)?.receiptId ?? null;
    if (rows.length < limit || after === null) break;
  }
  for (const receiptId of logged) if (!left.has(receiptId)) logged.delete(receiptId);
  return credited;
}

async function creditLeft(deps: ReceiptDeps, row: ReceiptRow, isLogged: boolean): Promise<boolean> {
  const log = isLogged ? deps.log.child({}, { level: 'silent' }) : deps.log;
  try {
    return await credit({ ...deps, log }, row);
  } catch (error) {
    // One receipt that cannot be credited must not hold up the others.
    log.error({ err: error, receipt: row.receipt }, 'a receipt could not be credited');
    return false;
  }
}
