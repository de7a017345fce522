import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { CaseDetail } from '../../../../src/staff/cases.ts';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { RESOLUTION_NAMES } from '../cases/case-texts.ts';
import styles from './Case.module.css';

/** Resolutions without an amount, or whose amount follows from the facts. */
const WITHOUT_AMOUNT: ReadonlySet<string> = new Set(['keep_books', 'failed']);

/** The fields of a proposal that the resolution needs; the evidence is the reason below. */
export function ProposalFields({ of }: { readonly of: CaseDetail }) {
  const { t, i18n } = useLingui();
  const [resolution, setResolution] = useState(of.resolutions[0]?.code ?? '');
  const meaning = of.resolutions.find(({ code }) => code === resolution)?.meaning;
  const names = of.resolutions.map(({ code }) => {
    const name = RESOLUTION_NAMES[code];
    return [code, name === undefined ? code : i18n._(name)];
  });
  const isPaid = resolution === 'paid';
  return (
    <>
      <Select
        label={t`Resolution`}
        name="resolution"
        value={resolution}
        hint={meaning}
        onChange={(event) => setResolution(event.target.value)}
        options={Object.fromEntries(names)}
      />
      {!WITHOUT_AMOUNT.has(resolution) && (
        <Field
          label={t`Amount in KES`}
          hint={t`If empty: the amount computed from the case`}
          name="amount"
          inputMode="decimal"
          pattern="\d{1,12}(\.\d{1,2})?"
        />
      )}
      {isPaid && (
        <>
          <Field
            label={t`Operator’s reference of the payment`}
            name="operator_reference"
            maxLength={100}
            required
          />
          <Field label={t`Token, if there is one`} name="token" maxLength={200} />
        </>
      )}
      {resolution !== 'keep_books' && (
        <Field
          label={t`Message that the vendor sees`}
          hint={t`Optional`}
          name="message"
          maxLength={500}
        />
      )}
      <p className={styles['note']}>
        <Trans>
          State the evidence as the reason: who confirmed it, where, and when. The second person
          sees it.
        </Trans>
      </p>
    </>
  );
}
