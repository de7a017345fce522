import { createHmac, randomUUID } from 'node:crypto';
import { insertVendor } from '../../src/parties/store.ts';
import { listVendors } from '../../src/parties/read-vendors.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { changeSettings } from '../../src/platform/db/settings-watch.ts';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { findCollection } from '../../src/payments/collections/store.ts';
import { FIRST_ACCOUNTS } from '../../src/payments/ledger/account.ts';
import type { FeeFormula } from '../../src/payments/prices/price.ts';
import { ensureAccounts } from '../../src/payments/ledger/store.ts';
import { DEMO_COLLECTOR, keepKey } from '../data.ts';

/** Vendors that pay while somebody uses the console. */
const SHOPS = [
  { vid: 'savanna-stores', name: 'Savanna Stores' },
  { vid: 'ziwa-mart', name: 'Ziwa Mart' },
  { vid: 'mlima-kiosks', name: 'Mlima Kiosks' },
] as const;
/** Collects fees and pays no bills, so its income stays there until it is paid out. */
const SCHOOL = { vid: 'mwangaza-school', name: 'Mwangaza School' } as const;

/** The shops' fee for a payment: one per cent from 5 to 50 shillings, with 16 % VAT included. */
const FEE: FeeFormula = {
  tiers: [{ fromCents: 0n, flatCents: 0n, bps: 100 }],
  minimumCents: 500n,
  maximumCents: 5_000n,
  vatBps: 1_600,
  vatIncluded: true,
};
const BILLERS_WITH_FEE = ['kplc_prepaid', 'kplc_postpaid', 'nairobi_water'] as const;

interface Deps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** Sum that customers paid to a shop at a time, in cents. */
const INCOME_CENTS = 25_000_000n;

export interface Shop {
  readonly vendorId: number;
  readonly vid: string;
  readonly key: string;
}

export interface Vendors {
  readonly shops: readonly Shop[];
  readonly school: Shop | undefined;
}

/** Registers the shops and the school as vendors, unless they are registered already. */
export async function openShops(
  pool: Pool,
  { masterKeys }: { readonly masterKeys: MasterKeys },
): Promise<Vendors> {
  // The same after every start, and known to this sandbox alone.
  const keyOf = (vid: string): string =>
    createHmac('sha256', masterKeys.current).update(`shop ${vid}`).digest('hex');
  const opened: number[] = [];
  await changeSettings(pool, 'vendors', async (client) => {
    for (const shop of [...SHOPS, SCHOOL]) {
      const createdAt = new Date();
      const added = await insertVendor(client, { ...shop, sector: 'retail', createdAt });
      if (added !== undefined) {
        await ensureAccounts(client, added, FIRST_ACCOUNTS);
        opened.push(added);
      }
      const holder = { holderKind: 'vendor', holder: shop.vid } as const;
      await keepKey(client, holder, keyOf(shop.vid), { masterKeys });
    }
  });
  for (const vendorId of opened) {
    for (const billerCode of BILLERS_WITH_FEE) {
      const setting = { validFrom: null, setBy: 'sandbox' };
      await setFeePrice(pool, { billerCode, vendorId }, FEE, setting);
    }
  }
  const vids = new Set<string>(SHOPS.map(({ vid }) => vid));
  const all = (await listVendors(pool)).map(({ vendorId, vid }) => ({ vendorId, vid }));
  const withKey = (vendor: Omit<Shop, 'key'>): Shop => ({ ...vendor, key: keyOf(vendor.vid) });
  return {
    shops: all.filter(({ vid }) => vids.has(vid)).map(withKey),
    school: all.filter(({ vid }) => vid === SCHOOL.vid).map(withKey)[0],
  };
}

/** Customers pay the shop. */
export async function earn(
  deps: Deps,
  { vendorId }: Shop,
  reference: string = randomUUID(),
): Promise<void> {
  const { collector } = DEMO_COLLECTOR;
  const income = { collector, reference, vendorId, amountCents: INCOME_CENTS };
  await collect(deps, { ...income, paidAt: new Date() });
}

/** Lets a shop earn once for each reference, however often it is called. */
export async function earnOnce(deps: Deps, shop: Shop, reference: string): Promise<void> {
  const known = await findCollection(deps.pool, DEMO_COLLECTOR.collector, reference);
  if (known === undefined) await earn(deps, shop, reference);
}
