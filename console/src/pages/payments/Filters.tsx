import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import type { PaymentChoices } from '../../../../src/staff/payments.ts';
import { get } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { addDays, dayOfText, today } from '../../format/days.ts';
import { readFilter, toPayments } from './filter.ts';
import type { PaymentFilter } from './filter.ts';
import styles from './Payments.module.css';

/** The filters whose values are in fields. */
const FIELDS = ['from', 'to', 'biller', 'operator', 'vid', 'min', 'max'] as const;

/** What restricts the list; each change but the search text is in the address. */
export function Filters({ filter }: { readonly filter: PaymentFilter }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const dayOf = useDayOfFilter();
  // A link may lead here with times, of which a field shows the day.
  const keptTimes = (given: Readonly<Record<string, unknown>>): PaymentFilter => ({
    ...(given['from'] === dayOf(filter.from) && filter.from && { from: filter.from }),
    ...(given['to'] === dayOf(filter.to) && filter.to && { to: filter.to }),
  });
  const apply = (changed: PaymentFilter): void => {
    void navigate(toPayments(changed));
  };
  const chosen = FIELDS.flatMap((name) => filter[name] ?? []);
  return (
    <div className={styles['panel']}>
      <Presets filter={filter} onApply={apply} />
      <details className={styles['more']}>
        <summary>
          <Trans>More filters</Trans>
          {chosen.length > 0 && `: ${chosen.join(', ')}`}
        </summary>
        <form
          // The fields show the filter of the address when that changes.
          key={JSON.stringify(filter)}
          className={styles['filters']}
          aria-label={t`Filters`}
          onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
            event.preventDefault();
            const { search, as } = filter;
            const given = Object.fromEntries(new FormData(event.currentTarget));
            apply(readFilter({ ...given, ...keptTimes(given), search, as }));
          }}
        >
          <Fields filter={filter} />
          <Button type="submit" kind="primary">
            <Trans>Apply</Trans>
          </Button>
          <Button onClick={() => apply({})}>
            <Trans>Clear</Trans>
          </Button>
        </form>
      </details>
    </div>
  );
}

function useDayOfFilter(): (text: string | undefined) => string {
  const { timeZone } = useSession();
  return (text = '') => dayOfText(text, timeZone);
}

function Presets({
  filter,
  onApply,
}: {
  readonly filter: PaymentFilter;
  readonly onApply: (filter: PaymentFilter) => void;
}) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  const day = today(timeZone);
  const { from, to, cursor: _, status, ...others } = filter;
  const kept = { ...others, ...(status && { status }) };
  const periods = [
    { name: t`Any time`, period: {} },
    { name: t`Today`, period: { from: day, to: day } },
    { name: t`Yesterday`, period: { from: addDays(day, -1), to: addDays(day, -1) } },
    { name: t`Last 7 days`, period: { from: addDays(day, -6), to: day } },
  ];
  const statuses = {
    SUCCESS: t`Paid`,
    PENDING: t`Result pending`,
    QUEUED: t`Queued`,
    FAILED: t`Failed`,
  };
  return (
    <div className={styles['presets']} role="group" aria-label={t`Period and status`}>
      {periods.map(({ name, period }) => (
        <button
          key={name}
          type="button"
          className={styles['preset']}
          aria-pressed={period.from === from && period.to === to}
          onClick={() => onApply({ ...kept, ...period })}
        >
          {name}
        </button>
      ))}
      {Object.entries(statuses).map(([code, name]) => (
        <button
          key={code}
          type="button"
          className={styles['preset']}
          aria-pressed={status === code}
          onClick={() =>
            onApply({
              ...others,
              ...(from && { from }),
              ...(to && { to }),
              ...(status !== code && { status: code }),
            })
          }
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Fields({ filter }: { readonly filter: PaymentFilter }) {
  const { t } = useLingui();
  const isStaff = useSession().person.vid === null;
  const dayOf = useDayOfFilter();
  const choices = useQuery({
    queryKey: ['payment-choices'],
    staleTime: 60_000,
    queryFn: ({ signal }) => get<PaymentChoices>('/payments/choices', {}, signal),
  });
  const { billers = [], operators = [], vendors = [] } = choices.data ?? {};
  return (
    <>
      {filter.status !== undefined && <input type="hidden" name="status" value={filter.status} />}
      <Field label={t`From`} name="from" type="date" defaultValue={dayOf(filter.from)} />
      <Field label={t`To`} name="to" type="date" defaultValue={dayOf(filter.to)} />
      <ChoiceOf label={t`Biller`} name="biller" chosen={filter.biller} choices={billers} />
      <ChoiceOf label={t`Operator`} name="operator" chosen={filter.operator} choices={operators} />
      {isStaff && <ChoiceOf label={t`Vendor`} name="vid" chosen={filter.vid} choices={vendors} />}
      <Field label={t`At least KES`} name="min" inputMode="decimal" defaultValue={filter.min} />
      <Field label={t`At most KES`} name="max" inputMode="decimal" defaultValue={filter.max} />
    </>
  );
}

function ChoiceOf({
  label,
  name,
  chosen,
  choices,
}: {
  readonly label: string;
  readonly name: string;
  readonly chosen: string | undefined;
  readonly choices: PaymentChoices['billers'];
}) {
  const { t } = useLingui();
  const known = choices.map((choice) => [choice.code, choice.name] as const);
  // Shown even before the choices are there, or when it is none of them.
  const own = chosen === undefined ? [] : [[chosen, chosen] as const];
  return (
    <Select
      // Uncontrolled: it takes the value once its options are there.
      key={choices.length}
      label={label}
      name={name}
      defaultValue={chosen}
      options={Object.fromEntries([['', t`Any`], ...own, ...known])}
    />
  );
}
