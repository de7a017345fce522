import type { Scorecard } from '../scorecards/scorecard.ts';
import type { Samples } from './samples.ts';
import { monthText } from './validation.ts';
import type { Validation } from './validation.ts';

type About = Scorecard['about'];

/** The samples that a card was made from. */
export function aboutSamples(samples: Samples, hasDates: boolean): About {
  const bads = samples.bad.reduce((sum, one) => sum + one, 0);
  const months = samples.months.toSorted((a, b) => a - b);
  return {
    samples: samples.count,
    badPercent: rounded((100 * bads) / samples.count),
    ...(hasDates
      ? { observedFrom: monthText(months[0]!), observedTo: monthText(months.at(-1)!) }
      : {}),
  };
}

/** A card's performance on samples that its fit has not seen. */
export function aboutFit(
  { shrinkage }: { readonly shrinkage: number },
  { parts, adverseImpactRatio }: Validation,
): About {
  const { auc, gini, ks, calibrationSlope } = parts.holdOut!.performance;
  return {
    holdOutAuc: rounded(auc, 4),
    holdOutGini: rounded(gini, 4),
    holdOutKs: rounded(ks, 4),
    ...(parts.outOfTime ? { outOfTimeAuc: rounded(parts.outOfTime.performance.auc, 4) } : {}),
    holdOutCalibrationSlope: rounded(calibrationSlope),
    ...(shrinkage === 1 ? {} : { shrinkage: rounded(shrinkage) }),
    ...(adverseImpactRatio === undefined
      ? {}
      : { adverseImpactRatio: rounded(adverseImpactRatio) }),
  };
}

function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
