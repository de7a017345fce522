import { readVids } from '../../parties/store.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { readHousePeriod, readVendorsPeriod } from '../house/store.ts';
import type { BookPeriod } from '../house/store.ts';
import { readPairsByVendor } from '../ledger/sums.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import type { VendorPairSum } from '../ledger/sums-store.ts';

/** In cents. */
export interface VatSums {
  readonly charges: number;
  /** Without VAT, less what was given back. */
  readonly feesCents: bigint;
  readonly chargedCents: bigint;
  readonly returnedCents: bigint;
  /** Charged less returned. */
  readonly vatCents: bigint;
}

export interface VatReport extends BookPeriod {
  readonly vendors: readonly (VatSums & { readonly vid: string })[];
  readonly total: VatSums;
  /** The ledger’s account `vat` less `vat-paid` of the house: what we owe the tax authority. */
  readonly openingCents: bigint;
  /** Posted to `vat-paid` in the period. */
  readonly paidCents: bigint;
  readonly closingCents: bigint;
  /** Whether the total is what the ledger’s account shows. */
  readonly isEqual: boolean;
}

const NOTHING: VatSums = {
  charges: 0,
  feesCents: 0n,
  chargedCents: 0n,
  returnedCents: 0n,
  vatCents: 0n,
};

/** The VAT of a period by vendor, with the account that it has to equal. Reads one snapshot. */
export async function reportVat(pool: Pool, period: BookPeriod): Promise<VatReport> {
  return await snapshot(pool, async (client) => {
    await takeYourTime(client);
    const pairs = await readPairsByVendor(client, period, ['vat', 'fees']);
    const accounts = await readVendorsPeriod(client, period, { vendorId: null, account: 'vat' });
    const [account] = accounts;
    const house = await readHousePeriod(client, period);
    const paid = house.find((line) => line.account === 'vat-paid');
    const vids = await readVids(client);
    const vendors = [...Map.groupBy(pairs, ({ vendorId }) => vendorId)]
      .map(([vendorId, own]) => ({ vid: vids.get(vendorId) ?? '', ...sumsOf(own) }))
      .filter(({ chargedCents, returnedCents }) => chargedCents + returnedCents > 0n)
      .toSorted((one, other) => (one.vid < other.vid ? -1 : 1));
    const total = vendors.reduce<VatSums>(add, NOTHING);
    const openingCents = (account?.openingCents ?? 0n) + (paid?.openingCents ?? 0n);
    const paidCents = (paid?.debitCents ?? 0n) - (paid?.creditCents ?? 0n);
    return {
      ...period,
      vendors,
      total,
      openingCents,
      paidCents,
      closingCents: openingCents + total.vatCents - paidCents,
      isEqual:
        total.chargedCents === (account?.creditCents ?? 0n) &&
        total.returnedCents === (account?.debitCents ?? 0n),
    };
  });
}

/** What transfers of one vendor to and from `vat` and `fees` make. Pure. */
function sumsOf(pairs: readonly VendorPairSum[]): VatSums {
  let sums = NOTHING;
  for (const { debitAccount, creditAccount, count, amountCents } of pairs) {
    const isCharge = creditAccount === 'vat';
    const chargedCents = isCharge ? amountCents : 0n;
    const returnedCents = debitAccount === 'vat' ? amountCents : 0n;
    const fees = BigInt(Number(creditAccount === 'fees') - Number(debitAccount === 'fees'));
    sums = add(sums, {
      charges: isCharge ? count : 0,
      feesCents: fees * amountCents,
      chargedCents,
      returnedCents,
      vatCents: chargedCents - returnedCents,
    });
  }
  return sums;
}

function add(one: VatSums, other: VatSums): VatSums {
  return {
    charges: one.charges + other.charges,
    feesCents: one.feesCents + other.feesCents,
    chargedCents: one.chargedCents + other.chargedCents,
    returnedCents: one.returnedCents + other.returnedCents,
    vatCents: one.vatCents + other.vatCents,
  };
}
