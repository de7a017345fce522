import { formatMoney } from '../../platform/base/money.ts';
import type { FeeFormula, OperatorTerms } from './price.ts';

/** Basis points as per cent: 150 is `1.5`. */
export function percentText(bps: number): string {
  return String(bps / 100);
}

/** A formula for programs: amounts and per cent as decimal text. */
export interface FormulaFields {
  readonly tiers: { readonly from: string; readonly flat: string; readonly percent: string }[];
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly vat_percent: string;
  readonly vat: 'included' | 'added';
  readonly excise_percent: string;
}

export function formulaFields(formula: FeeFormula): FormulaFields {
  const { minimumCents: minimum, maximumCents: maximum } = formula;
  return {
    tiers: formula.tiers.map((tier) => ({
      from: formatMoney(tier.fromCents),
      flat: formatMoney(tier.flatCents),
      percent: percentText(tier.bps),
    })),
    minimum: minimum === null ? null : formatMoney(minimum),
    maximum: maximum === null ? null : formatMoney(maximum),
    vat_percent: percentText(formula.vatBps),
    vat: formula.vatIncluded ? 'included' : 'added',
    excise_percent: percentText(formula.exciseBps ?? 0),
  };
}

/** An operator's terms for programs. */
export function termsFields({ cost, commission, commissionNetted }: OperatorTerms) {
  const paid: 'netted' | 'later' = commissionNetted ? 'netted' : 'later';
  return {
    cost: formatMoney(cost.flatCents),
    cost_percent: percentText(cost.bps),
    commission: formatMoney(commission.flatCents),
    commission_percent: percentText(commission.bps),
    commission_paid: paid,
  };
}
