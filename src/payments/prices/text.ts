import { formatMoney } from '../../platform/base/money.ts';
import { percentText } from './describe.ts';
import type { FeeFormula, OperatorTerms, Rate } from './price.ts';

function rateText({ flatCents, bps }: Rate): string {
  if (bps === 0) return formatMoney(flatCents);
  const share = `${percentText(bps)} %`;
  return flatCents === 0n ? share : `${formatMoney(flatCents)} + ${share}`;
}

/** A formula on one line, such as `1.5 %, at least 5.00, VAT of 16 % included`. */
export function formulaText(formula: FeeFormula | undefined): string {
  const [first, ...others] = formula?.tiers ?? [];
  if (formula === undefined || first === undefined) return 'none';
  const { minimumCents: minimum, maximumCents: maximum, vatBps, exciseBps = 0 } = formula;
  const taxes = formula.vatIncluded ? 'included' : 'added';
  const tiers = others.map((tier) => `from ${formatMoney(tier.fromCents)}: ${rateText(tier)}`);
  return [
    [rateText(first), ...tiers].join('; '),
    ...(minimum === null ? [] : [`at least ${formatMoney(minimum)}`]),
    ...(maximum === null ? [] : [`at most ${formatMoney(maximum)}`]),
    ...(exciseBps === 0 ? [] : [`excise duty of ${percentText(exciseBps)} % ${taxes}`]),
    ...(vatBps === 0 ? [] : [`VAT of ${percentText(vatBps)} % ${taxes}`]),
  ].join(', ');
}

function isZero({ flatCents, bps }: Rate): boolean {
  return flatCents === 0n && bps === 0;
}

/** The operator's charge and commission on one line. */
export function termsText({ cost, commission, commissionNetted }: OperatorTerms): string {
  const parts = [
    ...(isZero(cost) ? [] : [`cost ${rateText(cost)}`]),
    ...(isZero(commission)
      ? []
      : [`commission ${rateText(commission)}, ${commissionNetted ? 'netted' : 'paid later'}`]),
  ];
  return parts.length === 0 ? 'none' : parts.join('; ');
}
