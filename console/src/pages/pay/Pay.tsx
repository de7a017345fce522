import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PayBiller, PayCheck, PayChoices } from '../../../../src/staff/pay.ts';
import { get, send } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { Columns } from '../../design/Columns.tsx';
import { Field } from '../../design/Field.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Money } from '../../format/Money.tsx';
import { readableMoney } from '../../format/money.ts';
import { LookUp } from './LookUp.tsx';
import styles from './Pay.module.css';
import { Summary } from './Summary.tsx';
import { useSettled } from './use-settled.ts';

/** The form, with the names of the API's parameters. */
export interface PayForm {
  readonly biller_name: string;
  readonly account: string;
  readonly amount: string;
  readonly phone: string;
}

/** How long nothing is typed before the form is checked. */
const PAUSE_MS = 300;

/** Pays one bill. */
export function Pay() {
  const choices = useQuery({
    queryKey: ['pay'],
    queryFn: ({ signal }) => get<PayChoices>('/pay', {}, signal),
  });
  return (
    <>
      <PageHeader
        title={<Trans>Pay a bill</Trans>}
        about={
          choices.data !== undefined && (
            <Trans>
              Float: <Money amount={choices.data.float} currency />
            </Trans>
          )
        }
      />
      {choices.isError && <Problem error={choices.error} onRetry={() => void choices.refetch()} />}
      {choices.isPending && <Skeleton lines={10} />}
      {choices.data !== undefined && <Form choices={choices.data} />}
    </>
  );
}

function Form({ choices: { billers } }: { readonly choices: PayChoices }) {
  // Fixed for as long as the form is open: however often it is sent, it is paid once.
  const [reference] = useState(newReference);
  const [form, setForm] = useState<PayForm>({
    biller_name: (billers.find(({ status }) => status === 'ONLINE') ?? billers[0])?.biller ?? '',
    account: '',
    amount: '',
    phone: '',
  });
  const biller = billerOf(form, billers);
  const asked = useSettled(form, PAUSE_MS);
  const isComplete = asked.account.trim() !== '' && asked.amount.trim() !== '';
  const check = useQuery({
    queryKey: ['pay', 'check', asked],
    enabled: asked.account.trim() !== '' || asked.amount.trim() !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      send<PayCheck>(
        'POST',
        '/pay/check',
        // An empty amount is checked as the smallest one, so that it is not reported while it is missing.
        { ...asked, amount: asked.amount.trim() || (biller?.minimum ?? '') },
        signal,
      ),
  });
  const wrong = check.data?.wrong;
  const errorOf = (field: keyof PayForm): string | undefined =>
    wrong?.field === field && (isComplete || asked[field].trim() !== '') ? wrong.text : undefined;
  const isCurrent = asked === form && !check.isPlaceholderData && !check.isFetching;
  return (
    <Columns>
      <Card title={<Trans>What is paid</Trans>}>
        <Fields
          billers={billers}
          biller={biller}
          form={form}
          errorOf={errorOf}
          onChange={(change) => setForm(withoutHidden({ ...form, ...change }, billers))}
        />
        {check.isError && <Problem error={check.error} onRetry={() => void check.refetch()} />}
        {biller?.validates === true && (
          <LookUp
            key={`${form.biller_name} ${form.account}`}
            form={form}
            onAmount={(amount) => setForm({ ...form, amount })}
          />
        )}
      </Card>
      <Summary
        form={form}
        reference={reference}
        billerName={biller?.name ?? ''}
        check={isComplete ? check.data : undefined}
        isCurrent={isCurrent}
      />
    </Columns>
  );
}

function Fields({
  billers,
  biller,
  form,
  errorOf,
  onChange,
}: {
  readonly billers: readonly PayBiller[];
  readonly biller: PayBiller | undefined;
  readonly form: PayForm;
  readonly errorOf: (field: keyof PayForm) => string | undefined;
  readonly onChange: (change: Partial<PayForm>) => void;
}) {
  const { t } = useLingui();
  const minimum = readableMoney(biller?.minimum ?? '0.00');
  const maximum = biller?.maximum ?? null;
  const names = useBillerNames(billers);
  return (
    <div className={styles['fields']}>
      <Select
        label={t`Biller`}
        value={form.biller_name}
        error={errorOf('biller_name')}
        onChange={(event) => onChange({ biller_name: event.target.value })}
        options={names}
      />
      <Field
        label={biller?.account_label ?? t`Account`}
        value={form.account}
        error={errorOf('account')}
        autoComplete="off"
        onChange={(event) => onChange({ account: event.target.value })}
      />
      {biller?.phone === true && (
        <Field
          label={t`Phone number of the customer`}
          value={form.phone}
          error={errorOf('phone')}
          inputMode="tel"
          autoComplete="off"
          onChange={(event) => onChange({ phone: event.target.value })}
        />
      )}
      <Field
        label={t`Amount in KES`}
        hint={
          maximum === null
            ? t`at least ${minimum}`
            : t`from ${minimum} to ${readableMoney(maximum)}`
        }
        value={form.amount}
        error={errorOf('amount')}
        inputMode="decimal"
        autoComplete="off"
        onChange={(event) => onChange({ amount: event.target.value })}
      />
    </div>
  );
}

/** A phone number that was given for another biller has no field any more, so it is not sent either. */
function withoutHidden(form: PayForm, billers: readonly PayBiller[]): PayForm {
  return billerOf(form, billers)?.phone === true ? form : { ...form, phone: '' };
}

const billerOf = (form: PayForm, billers: readonly PayBiller[]): PayBiller | undefined =>
  billers.find(({ biller: code }) => code === form.biller_name);

function useBillerNames(billers: readonly PayBiller[]): Readonly<Record<string, string>> {
  const { t } = useLingui();
  return Object.fromEntries(
    billers.map(({ biller: code, name, status }) => [
      code,
      status === 'ONLINE' ? name : t`${name} (offline)`,
    ]),
  );
}

/** Also where the browser offers `randomUUID` on pages over TLS only. */
function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
