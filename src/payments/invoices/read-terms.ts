import { readVids } from '../../parties/read-vendors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findLastRun, findTerms, listVendorNames } from './store.ts';

/** How the company invoices, and how invoices name vendors. */
export async function readTerms(db: Queryable) {
  const terms = await findTerms(db);
  const last = await findLastRun(db);
  const vids = await readVids(db);
  const company = terms && {
    ...{ legal_name: terms.legalName, pin: terms.pin, address: terms.address, per: terms.per },
    needs_control: terms.needsControl,
    from: terms.startsAt.toISOString(),
    invoiced_until: last?.toAt.toISOString() ?? null,
  };
  const vendors = (await listVendorNames(db)).map(({ vendorId, legalName, pin, address }) => ({
    ...{ vid: vids.get(vendorId) ?? String(vendorId), legal_name: legalName, pin, address },
  }));
  return { company: company ?? null, vendors };
}
