import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { send } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import styles from './Journals.module.css';
import { ProposeDialog } from '../../design/ProposeDialog.tsx';
import type { ProposeProps } from '../../design/ProposeDialog.tsx';

const FIRST_LINES = 2;
const MAX_LINES = 20;

/** Two or more lines whose debits equal their credits. */
export function ProposeJournal(dialog: ProposeProps) {
  const { t } = useLingui();
  const [count, setCount] = useState(FIRST_LINES);
  const numbers = Array.from({ length: count }, (_, number) => number);
  const propose = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { reference, evidence, at, reason } = fields;
    const lines = numbers.flatMap((number) => {
      const account = fields[`account${number}`];
      if (account === undefined) return [];
      return [{ account, side: fields[`side${number}`], amount: fields[`amount${number}`] ?? '' }];
    });
    await send('POST', '/journals', { lines, reference, evidence, at, reason });
    setCount(FIRST_LINES);
  };
  return (
    <ProposeDialog {...dialog} title={<Trans>Propose a journal</Trans>} propose={propose}>
      {numbers.map((number) => (
        <Line key={number} number={number} />
      ))}
      <div>
        <Button disabled={count >= MAX_LINES} onClick={() => setCount(count + 1)}>
          <Trans>Add a line</Trans>
        </Button>
      </div>
      <Field label={t`Reference of the document`} name="reference" maxLength={200} required />
      <Field label={t`Day on which the money moved`} name="at" type="date" required />
    </ProposeDialog>
  );
}

function Line({ number }: { readonly number: number }) {
  const { t } = useLingui();
  const isFirst = number === 0;
  return (
    <div className={styles['line']}>
      <Field
        label={t`Account`}
        name={`account${number}`}
        placeholder={isFirst ? 'suspense' : 'expense:bank-fees'}
        autoComplete="off"
        required={number < FIRST_LINES}
      />
      <Select
        label={t`Side`}
        name={`side${number}`}
        defaultValue={isFirst ? 'debit' : 'credit'}
        options={{ debit: t`Debit`, credit: t`Credit` }}
      />
      <Field
        label={t`KES`}
        name={`amount${number}`}
        inputMode="decimal"
        pattern="\d{1,12}(\.\d{1,2})?"
        required={number < FIRST_LINES}
      />
    </div>
  );
}
