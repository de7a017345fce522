import { useLingui } from '@lingui/react/macro';
import type { RuleView } from '../../../../src/staff/credit-rules.ts';
import { Money } from '../../format/Money.tsx';
import { useSectors } from '../vendor/setting-names.ts';

/** When a rule applies: all of it has to hold. */
export function Conditions({ rule }: { readonly rule: RuleView }) {
  const { t } = useLingui();
  const sectors = useSectors();
  const lists = [
    [t`types of account`, rule.products?.join(', ')],
    [t`lenders’ sectors`, rule.sectors?.map((sector) => sectors[sector]).join(', ')],
    [t`risk classes`, rule.risk_classes?.join(', ')],
    [t`states from`, rule.states_from ?? undefined],
    [t`states until`, rule.states_until ?? undefined],
  ] as const;
  return (
    <ul>
      {rule.balance_up_to !== null && (
        <li>
          {t`balance up to`} <Money amount={rule.balance_up_to} currency />
        </li>
      )}
      {rule.original_up_to !== null && (
        <li>
          {t`original amount up to`} <Money amount={rule.original_up_to} currency />
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
