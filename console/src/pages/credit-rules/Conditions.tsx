import { useLingui } from '@lingui/react/macro';
import type { ShownRule } from '../../../../src/console/credit-answers.ts';
import { Money } from '../../format/Money.tsx';
import { useSectors } from '../vendor/setting-names.ts';

/** When a rule applies: all of it has to hold. */
export function Conditions({ rule }: { readonly rule: ShownRule }) {
  const { t } = useLingui();
  const sectors = useSectors();
  const lists = [
    [t`types of account`, rule.products?.join(', ')],
    [t`lenders’ sectors`, rule.sectors?.map((sector) => sectors[sector]).join(', ')],
    [t`risk classes`, rule.riskClasses?.join(', ')],
    [t`states from`, rule.statesFrom?.slice(0, 10)],
    [t`states until`, rule.statesUntil?.slice(0, 10)],
  ] as const;
  return (
    <ul>
      {rule.balanceUpTo !== null && (
        <li>
          {t`balance up to`} <Money amount={rule.balanceUpTo} currency />
        </li>
      )}
      {rule.originalUpTo !== null && (
        <li>
          {t`original amount up to`} <Money amount={rule.originalUpTo} currency />
        </li>
      )}
      {lists.map(
        ([name, value]) =>
          value !== undefined && (
            <li key={name}>
              {name} {value}
            </li>
          ),
      )}
    </ul>
  );
}
