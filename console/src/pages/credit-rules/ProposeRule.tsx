import { Trans, useLingui } from '@lingui/react/macro';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { ProposeCredit } from '../credit-cases/Propose.tsx';
import type { ProposeProps } from '../../design/ProposeDialog.tsx';
import { useSectors } from '../vendor/setting-names.ts';

const LIST = /[\s,]+/;

/** A rule, or another one in the place of one with the same name. Fields that are empty always hold. */
export function ProposeRule(dialog: ProposeProps) {
  const { t } = useLingui();
  return (
    <ProposeCredit
      {...dialog}
      what="rule"
      title={<Trans>Propose a rule</Trans>}
      bodyOf={(fields) => ({
        rule: fields['rule'],
        balance_up_to: fields['balance_up_to'],
        original_up_to: fields['original_up_to'],
        products: fields['products']?.toUpperCase().split(LIST),
        sectors: fields['sectors'] === undefined ? undefined : [fields['sectors']],
        risk_classes: fields['risk_classes']?.toUpperCase().split(LIST),
        states_from: fields['states_from'],
        states_until: fields['states_until'],
      })}
    >
      <Field
        label={t`Name`}
        name="rule"
        hint={t`Such as relief_2026. An existing rule with this name is replaced.`}
        pattern="[a-z0-9_]{1,60}"
        autoComplete="off"
        required
      />
      <Amounts />
      <Field
        label={t`Types of account`}
        name="products"
        hint={t`Letters A to L of the data template, such as H, I`}
        pattern="[A-La-l](?:[\s,]+[A-La-l])*"
      />
      <Select label={t`Lender’s sector`} name="sectors" options={{ '': t`Any`, ...useSectors() }} />
      <Field
        label={t`Risk classes`}
        name="risk_classes"
        hint={t`Letters A to E`}
        pattern="[A-Ea-e](?:[\s,]+[A-Ea-e])*"
      />
      <Field label={t`States from`} name="states_from" type="date" />
      <Field label={t`States until`} name="states_until" type="date" />
    </ProposeCredit>
  );
}

function Amounts() {
  const { t } = useLingui();
  return (
    <>
      <Field
        label={t`Balance up to (KES)`}
        name="balance_up_to"
        inputMode="decimal"
        pattern="\d{1,12}(\.\d{1,2})?"
      />
      <Field
        label={t`Original amount up to (KES)`}
        name="original_up_to"
        inputMode="decimal"
        pattern="\d{1,12}(\.\d{1,2})?"
      />
    </>
  );
}
