import type { Queryable } from '../../src/platform/db/pool.ts';

/** Faults that `statements.test.ts` has to find. Nothing calls this function. */
export async function plantedStatements(db: Queryable, given: string): Promise<void> {
  await db.query<{ vid: string }>('select vidd as vid from vendors');
  await db.query<{ vid: string; phone: string }>('select vid from vendors');
  await db.query<{ vid: string }>('select vid, name from vendors');
  await db.query<{ vendorId: number }>('select vendor_id from vendors');
  await db.query<{ vendor_id: number }>('select vendor_id from vendors');
  await db.query<{ count: number }>('select count(*) as count from vendors');
  await db.query<{ vendorId: bigint }>('select vendor_id as "vendorId" from vendors');
  await db.query<{ createdAt: string }>('select created_at as "createdAt" from vendors');
  await db.query<{ validUntil: Date }>('select valid_until as "validUntil" from security_keys');
  await db.query<{ vids: string }>('select vids from collectors');
  await db.query(`select vid from vendors order by ${given}`);
  // No fault: every column is as declared, although the text is composed.
  for (const table of ['vendors', 'collectors'] as const) {
    await db.query<{ status: 'active' | 'suspended'; createdAt: Date }>({
      name: `planted_${table}`,
      text: `select status, created_at as "createdAt" from ${table} where name = $1`,
      values: [given],
    });
  }
}
