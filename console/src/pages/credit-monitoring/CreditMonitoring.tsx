import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreditUsage, KeptMonths } from '../../../../src/staff/credit-monitor.ts';
import { get } from '../../api/client.ts';
import { BarChart } from '../../design/BarChart.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Months } from '../credit-scorecards/Months.tsx';

type Usage = CreditUsage['days'][number];

/** How many enquiries find somebody, and whether the scores still fit the people. */
export function CreditMonitoring() {
  const { t } = useLingui();
  const [days, setDays] = useState('14');
  const found = useQuery({
    queryKey: ['credit-usage', days],
    queryFn: ({ signal }) => get<CreditUsage>('/credit/usage', { days }, signal),
    placeholderData: (before) => before,
  });
  const measured = useQuery({
    queryKey: ['credit-months'],
    queryFn: ({ signal }) => get<KeptMonths>('/credit/months', {}, signal),
  });
  const { data } = found;
  return (
    <>
      <PageHeader
        title={<Trans>Credit monitoring</Trans>}
        about={<Trans>Enquiries, how many find somebody, and how the scorecards perform.</Trans>}
      >
        <Select
          label={t`Period`}
          value={days}
          onChange={(event) => setDays(event.target.value)}
          options={{ 7: t`7 days`, 14: t`14 days`, 30: t`30 days`, 90: t`90 days` }}
        />
      </PageHeader>
      {[found, measured].map(
        ({ isError, error, refetch }, index) =>
          isError && <Problem key={index} error={error} onRetry={() => void refetch()} />,
      )}
      <Card title={<Trans>Enquiries per day</Trans>}>
        {data === undefined ? <Skeleton lines={6} /> : <Days days={data.days} />}
      </Card>
      <Card title={<Trans>By vendor</Trans>}>
        {data === undefined ? <Skeleton lines={4} /> : <Vendors vendors={data.vendors} />}
      </Card>
      <Card
        title={<Trans>Scores</Trans>}
        more={<Trans>Compared with the people that the card was made from</Trans>}
      >
        {measured.data === undefined ? (
          <Skeleton lines={4} />
        ) : (
          <Months months={measured.data.months} />
        )}
      </Card>
    </>
  );
}

function Days({ days }: { readonly days: readonly Usage[] }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const total = days.reduce((sum, { enquiries }) => sum + enquiries, 0);
  const answered = days.reduce((sum, one) => sum + one.answered, 0);
  return (
    <BarChart
      label={t`Enquiries per day: ${count(total)}, of which ${count(answered)} found somebody.`}
      series={[
        { name: t`answered`, tone: 'done' },
        { name: t`nobody found, or result unknown`, tone: 'waiting' },
        { name: t`names or documents differ`, tone: 'alert' },
      ]}
      bars={days.map((day) => ({
        title: t`${day.of}: ${count(day.answered)} answered, ${count(day.not_found)} nobody found, ${count(day.mismatched)} names or documents differ`,
        values: [day.answered, day.not_found + day.unknown, day.mismatched],
      }))}
      begin={days[0]?.of}
      end={days.at(-1)?.of}
    />
  );
}

function Vendors({ vendors }: { readonly vendors: readonly Usage[] }) {
  const { t } = useLingui();
  const { count, percent } = useFigures();
  return (
    <Table
      label={t`By vendor`}
      rows={vendors}
      keyOf={({ of }) => of}
      empty={t`No enquiry in this period.`}
      columns={[
        { title: t`Vendor`, cell: ({ of }) => of },
        { title: t`Enquiries`, cell: ({ enquiries }) => count(enquiries), align: 'end' },
        { title: t`Found`, cell: (vendor) => percent(vendor.hit_rate), align: 'end' },
        {
          title: t`Names or documents differ`,
          cell: (vendor) => percent(vendor.mismatch_rate),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Result unknown`,
          cell: ({ unknown }) => count(unknown),
          align: 'end',
          hide: 'small',
        },
      ]}
    />
  );
}
