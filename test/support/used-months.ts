import { BUSY_VENDOR, insertUsedMonths } from '../../bench/console-store.ts';
import { fillFloats, insertVendors } from '../../bench/store.ts';
import type { Pool } from '../../src/platform/db/pool.ts';

export { BUSY_VENDOR };

/** Some of the bench's vendors: the busy one has most payments. */
const VENDORS = 12;
const FLOAT_CENTS = 100_000_000_000n;

/** Three months of payments, as the bench writes them, in a database with the sandbox's billers. */
export async function fillUsedMonths(owner: Pool, payments: number): Promise<void> {
  await insertVendors(owner, VENDORS);
  await fillFloats(owner, FLOAT_CENTS);
  await insertUsedMonths(owner, payments);
}
