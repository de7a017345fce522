import { rotateAsStaff } from '../../../src/payments/vendor-secrets/rotate.ts';
import { rotateKey } from '../../../src/parties/administer.ts';
import { SEALING } from '../../support/production-pair.ts';
import type { Case, Cases, Given } from './case.ts';

/** The approval permits a key, and the vendor sees it in its request log. */
async function vendorSecret({ books, proposals, people }: Given): Promise<Case> {
  const { pool } = books;
  const vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  const rotate = async () =>
    await rotateKey(pool, { holderKind: 'vendor', holder: vid }, { ...SEALING, overlapSeconds: 0 });
  await rotate();
  const request = { vendor: { vendorId, vid }, of: 'vendor', overlapSeconds: 60 } as const;
  const asked = { ...request, by: people.asha, note: 'it was lost' };
  const { row } = await rotateAsStaff({ pool, proposals }, asked, SEALING);
  const told = { method: 'STAFF', route: '/v1/keys' };
  return {
    id: row.proposalId,
    shown: [{ label: 'Permits a new secret of the vendor', text: `${vid}: Security key` }],
    state: async () => {
      const sql = 'select method, route from request_log where vendor_id = $1';
      return (await pool.query(sql, [vendorId])).rows;
    },
    approved: [told],
    ended: [],
    // The vendor created one itself.
    changeFacts: async () => {
      await rotate();
    },
    reason: /replaced or removed/,
    spend: async () => {
      await books.addFloat(vendorId, 100n);
      return [told];
    },
  };
}

export const CASES: Cases = {
  vendor_secret: { role: 'administrator', make: vendorSecret },
};
