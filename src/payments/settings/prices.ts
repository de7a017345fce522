import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { endFeePrice, setFeePrice, setOperatorPrice } from '../billers/administer-prices.ts';
import type { FeeFormula, OperatorTerms, Rate, Versioned } from '../prices/price.ts';
import { listFeePrices, listOperatorPrices } from '../prices/store.ts';
import type { NewSetting } from '../prices/store.ts';
import { formulaText, termsText } from '../prices/text.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { cents, code } from './fields.ts';
import { setting } from './setting.ts';

const bps = Type.Integer({ minimum: 0, maximum: 10_000 });
/** ISO 8601; null: from the decision on. */
const validFrom = orNull(filledText(40));

export const formula = strict({
  tiers: Type.Array(strict({ fromCents: cents, flatCents: cents, bps })),
  minimumCents: orNull(cents),
  maximumCents: orNull(cents),
  vatBps: bps,
  vatIncluded: Type.Boolean(),
  exciseBps: Type.Optional(bps),
});

/** The fee that vendors pay. A formula of null ends the price. */
export const FEE = setting({
  ...{ name: 'fee', label: 'Fee', topic: 'billers' },
  key: strict({
    billerCode: code,
    /** Null: of every vendor without a fee of its own. */
    vendor: orNull(strict({ vendorId: Type.Integer(), vid: filledText(64) })),
  }),
  change: strict({ formula: orNull(formula), validFrom }),
  target: ({ billerCode, vendor }) => (vendor ? `${billerCode} for ${vendor.vid}` : billerCode),
  vendorId: ({ vendor }) => vendor?.vendorId ?? null,
  read: async (db, { billerCode, vendor }) => {
    const now = await postingTime(db);
    const all = (await listFeePrices(db, 'current')).filter((row) => row.billerCode === billerCode);
    const of = (vendorId: number | null) => all.filter((row) => row.vendorId === vendorId);
    const usual = priceText(of(null), formulaText, now);
    if (vendor === null) return { Price: usual };
    // A vendor without a price of its own pays that one, not nothing.
    const none = `that of every vendor (${usual})`;
    const own = (row: FeeFormula) => (row.tiers.length === 0 ? none : formulaText(row));
    return { Price: priceText(of(vendor.vendorId), own, now, none) };
  },
  remarks: () => [{ label: 'Payments that exist', text: 'keep the price that they have' }],
  apply: async (db, { key: { billerCode, vendor }, change, by }) => {
    const key = { billerCode, vendorId: vendor?.vendorId ?? null };
    const begin = beginOf(change, by);
    if (change.formula === null) return await endFeePrice(db, key, begin);
    return await setFeePrice(db, key, formulaOf(change.formula), begin);
  },
});

const rate = strict({ flatCents: cents, bps });

/** An operator's charge to us, and its commission to us. */
export const OPERATOR_PRICE = setting({
  ...{ name: 'operator_price', label: 'Price of an operator', topic: 'billers' },
  key: strict({ billerCode: code, operatorCode: code }),
  change: strict({ cost: rate, commission: rate, commissionNetted: Type.Boolean(), validFrom }),
  target: ({ billerCode, operatorCode }) => `${operatorCode} for ${billerCode}`,
  read: async (db, { billerCode, operatorCode }) => {
    const rows = (await listOperatorPrices(db, 'current')).filter(
      (row) => row.billerCode === billerCode && row.operatorCode === operatorCode,
    );
    return { Price: priceText(rows, termsText, await postingTime(db)) };
  },
  remarks: () => [
    {
      label: 'Payments that were sent',
      text: 'keep the price of that time; others get the new one',
    },
  ],
  apply: async (db, { key, change, by }) => {
    const { cost, commission, commissionNetted, ...begin } = change;
    const terms = { cost: rateOf(cost), commission: rateOf(commission), commissionNetted };
    return await setOperatorPrice(db, key, terms, beginOf(begin, by));
  },
});

function beginOf(change: { readonly validFrom: string | null }, by: string): NewSetting {
  return { validFrom: change.validFrom === null ? null : new Date(change.validFrom), setBy: by };
}

const rateOf = ({ flatCents, bps: share }: Static<typeof rate>): Rate => ({
  flatCents: BigInt(flatCents),
  bps: share,
});

const centsOf = (given: string | null): bigint | null => (given === null ? null : BigInt(given));

export function formulaOf({ tiers, ...rest }: Static<typeof formula>): FeeFormula {
  return {
    ...rest,
    tiers: tiers.map((tier) => ({ fromCents: BigInt(tier.fromCents), ...rateOf(tier) })),
    minimumCents: centsOf(rest.minimumCents),
    maximumCents: centsOf(rest.maximumCents),
  };
}

/** As JSON. */
export function formulaJson({ tiers, minimumCents, maximumCents, ...rest }: FeeFormula) {
  return {
    ...rest,
    tiers: tiers.map((tier) => ({ fromCents: String(tier.fromCents), ...rateJson(tier) })),
    minimumCents: minimumCents === null ? null : String(minimumCents),
    maximumCents: maximumCents === null ? null : String(maximumCents),
  };
}

export function termsJson({ cost, commission, commissionNetted }: OperatorTerms) {
  return { cost: rateJson(cost), commission: rateJson(commission), commissionNetted };
}

const rateJson = ({ flatCents, bps: share }: Rate) => ({
  flatCents: String(flatCents),
  bps: share,
});

/**
 * The price in force, and those that begin later: it ends none of them.
 * @param none if there is no price in force.
 */
function priceText<Row extends Versioned>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  now: Date,
  none = 'none',
): string {
  const isLater = ({ validFrom: begin }: Row): boolean => begin > now;
  const current = rows.find((row) => !isLater(row));
  const later = rows.filter(isLater);
  return [
    current === undefined ? none : textOf(current),
    ...later.map((row) => `from ${row.validFrom.toISOString()} on: ${textOf(row)}`),
  ].join('; then ');
}
