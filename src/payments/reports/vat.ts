import { readVids } from '../../parties/read-vendors.ts';
import { adderOf } from '../../platform/base/sums.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { readHousePeriod, readVendorsPeriod } from '../house/store.ts';
import type { BookPeriod } from '../house/store.ts';
import { readPairsByVendor } from '../ledger/sums.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import type { VendorPairSum } from '../ledger/sums-store.ts';
import { countFurtherParts, readUntaxedFees } from './vat-store.ts';

/** In cents. */
export interface VatSums {
  /** Number of charges. A charge may consist of several transfers. */
  readonly charges: number;
  /** The taxable base: fees and excise duty that VAT was charged on, less what was given back. */
  readonly feesCents: bigint;
  /** Excise duty on fees, with VAT or without, less what was given back. */
  readonly exciseCents: bigint;
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
  /** True if the total equals the balance of the ledger's account. */
  readonly isEqual: boolean;
}

const NOTHING: VatSums = {
  charges: 0,
  feesCents: 0n,
  exciseCents: 0n,
  chargedCents: 0n,
  returnedCents: 0n,
  vatCents: 0n,
};

const add = adderOf(NOTHING);

/** The VAT of a period by vendor, with the account that it has to equal. Reads one snapshot. */
export async function reportVat(pool: Pool, period: BookPeriod): Promise<VatReport> {
  return await snapshot(pool, async (client) => {
    await takeYourTime(client);
    const pairs = await readPairsByVendor(client, period, ['vat', 'fees', 'excise']);
    const accounts = await readVendorsPeriod(client, period, { vendorId: null, account: 'vat' });
    const [account] = accounts;
    const house = await readHousePeriod(client, period);
    const paid = house.find((line) => line.account === 'vat-paid');
    const vids = await readVids(client);
    const taxed = [...Map.groupBy(pairs, ({ vendorId }) => vendorId)].filter(([, own]) =>
      own.some(isTax),
    );
    const untaxed = await readUntaxedFees(client, period, vendorsWithUntaxedFees(taxed));
    const corrected = taxed.filter(([, own]) => !own.every(isSettled));
    const further = await countFurtherParts(
      client,
      period,
      corrected.map(([vendorId]) => vendorId),
    );
    const vendors = taxed
      .map(([vendorId, own]) => {
        const sums = sumsOf(own);
        const exciseCents = postedTo('excise', own);
        return {
          ...sums,
          vid: vids.get(vendorId) ?? '',
          charges: sums.charges - (further.get(vendorId) ?? 0),
          feesCents: postedTo('fees', own) + exciseCents - (untaxed.get(vendorId) ?? 0n),
          exciseCents,
        };
      })
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

const TAXES: ReadonlySet<string> = new Set(['vat', 'excise']);

const isTax = ({ debitAccount, creditAccount }: VendorPairSum): boolean =>
  TAXES.has(debitAccount) || TAXES.has(creditAccount);

/** Tells a payment's transfer from a correction's. */
const isSettled = ({ debitAccount }: VendorPairSum): boolean => debitAccount === 'reserved';

/** Payments of one vendor whose settling made a transfer to this account. Pure. */
const settledTo = (account: 'fees' | 'vat', pairs: readonly VendorPairSum[]): number =>
  pairs.find((pair) => isSettled(pair) && pair.creditAccount === account)?.count ?? 0;

/**
 * Vendors some of whose fees may be without VAT: of all payments, if there are fewer transfers of VAT than of
 * fees, because a settled payment has at most one of each, and VAT only with a fee; otherwise of corrections.
 * Pure.
 */
function vendorsWithUntaxedFees(
  vendors: readonly (readonly [number, readonly VendorPairSum[]])[],
): Parameters<typeof readUntaxedFees>[2] {
  const { ofAll = [], others = [] } = Object.groupBy(vendors, ([, own]) =>
    settledTo('fees', own) === settledTo('vat', own) ? 'others' : 'ofAll',
  );
  const corrected = others.filter(([, own]) => !own.every(isSettled));
  return {
    ofAll: ofAll.map(([vendorId]) => vendorId),
    ofCorrections: corrected.map(([vendorId]) => vendorId),
  };
}

/** What was posted to an account of one vendor, taxed or not. Pure. */
function postedTo(account: 'fees' | 'excise', pairs: readonly VendorPairSum[]): bigint {
  return pairs.reduce((sum, { debitAccount, creditAccount, amountCents }) => {
    const sign = BigInt(Number(creditAccount === account) - Number(debitAccount === account));
    return sum + sign * amountCents;
  }, 0n);
}

/** The VAT that transfers of one vendor make; `charges` are transfers. Pure. */
function sumsOf(pairs: readonly VendorPairSum[]): Omit<VatSums, 'feesCents' | 'exciseCents'> {
  let sums = NOTHING;
  for (const { debitAccount, creditAccount, count, amountCents } of pairs) {
    const isCharge = creditAccount === 'vat';
    const chargedCents = isCharge ? amountCents : 0n;
    const returnedCents = debitAccount === 'vat' ? amountCents : 0n;
    sums = add(sums, {
      ...NOTHING,
      charges: isCharge ? count : 0,
      chargedCents,
      returnedCents,
      vatCents: chargedCents - returnedCents,
    });
  }
  return sums;
}
