import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useSession } from '../../app/session.ts';
import type { BookFilter } from '../../app/finance-routes.ts';
import { Field } from '../../design/Field.tsx';
import { Filters } from '../../design/Filters.tsx';
import { dayOf, today } from '../../format/days.ts';

/** The days of a period: this month, unless others are asked for. */
export function usePeriod({ from, to }: BookFilter): {
  readonly from: string;
  readonly to: string;
} {
  const { timeZone } = useSession();
  const now = today(timeZone);
  return { from: from ?? `${now.slice(0, 8)}01`, to: to ?? now };
}

/** The day of an instant, as a period. */
export function useDayOf(): (instant: string) => { from: string; to: string } {
  const { timeZone } = useSession();
  return (instant) => {
    const day = dayOf(new Date(instant), timeZone);
    return { from: day, to: day };
  };
}

/** The days and the vendor of a report. */
export function PeriodFilters({
  filter,
  onFilter,
  withVendor = true,
  children,
}: {
  readonly filter: BookFilter;
  readonly onFilter: (filter: BookFilter) => void;
  readonly withVendor?: boolean;
  readonly children?: ReactNode;
}) {
  const { t } = useLingui();
  const { from, to } = usePeriod(filter);
  return (
    <Filters key={JSON.stringify(filter)} onFilter={onFilter}>
      <Field label={t`From`} name="from" type="date" defaultValue={from} required />
      <Field label={t`To`} name="to" type="date" defaultValue={to} required />
      {withVendor && (
        <Field
          label={t`Vendor`}
          name="vid"
          defaultValue={filter.vid}
          placeholder={t`all`}
          autoComplete="off"
        />
      )}
      {children}
    </Filters>
  );
}

/** Which days of which time zone a report has. */
export function PeriodText({ filter }: { readonly filter: BookFilter }) {
  const { timeZone } = useSession();
  const { from, to } = usePeriod(filter);
  return (
    <Trans>
      {from} to {to}, {timeZone}
    </Trans>
  );
}
