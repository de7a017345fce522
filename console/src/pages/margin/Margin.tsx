import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Dimension } from '../../../../src/payments/reports/dimensions.ts';
import type { MarginAnswer, MarginLine } from '../../../../src/staff/reports.ts';
import { get } from '../../api/client.ts';
import type { MarginFilter } from '../../app/finance-routes.ts';
import { BarChart } from '../../design/BarChart.tsx';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { PeriodFilters, PeriodText, usePeriod } from '../ledger/period.tsx';

/** What payments brought and cost: fees, VAT, costs, commissions. */
export function Margin() {
  const { t } = useLingui();
  const filter: MarginFilter = useSearch({ from: '/shell/margin' });
  const navigate = useNavigate();
  const names = useNames();
  const period = usePeriod(filter);
  const by = filter.by ?? 'biller';
  const found = useMargin({ ...period, by });
  return (
    <>
      <PageHeader
        title={<Trans>Fees and margins</Trans>}
        about={<Trans>What payments earned and cost, including corrections.</Trans>}
      >
        <FileLinks path="/margin" query={{ ...period, by }} />
      </PageHeader>
      <PeriodFilters
        filter={filter}
        withVendor={false}
        onFilter={(search) => void navigate({ to: '/margin', search })}
      >
        <Select label={t`By`} name="by" defaultValue={by} options={names} />
      </PeriodFilters>
      {found.isError ? (
        <Problem error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <>
          <Totals total={found.data?.total} />
          <ByDay period={period} />
          <Card title={names[by]} more={<PeriodText filter={filter} />}>
            {found.data === undefined ? (
              <Skeleton lines={8} />
            ) : (
              <Lines by={by} answer={found.data} />
            )}
          </Card>
        </>
      )}
    </>
  );
}

function useMargin(asked: { readonly from: string; readonly to: string; readonly by: Dimension }) {
  return useQuery({
    queryKey: ['margin', asked],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => get<MarginAnswer>('/margin', asked, signal),
  });
}

function useNames(): Readonly<Record<Dimension, string>> {
  const { t } = useLingui();
  return { biller: t`Biller`, operator: t`Operator`, vendor: t`Vendor`, day: t`Day` };
}

function Totals({ total }: { readonly total: MarginAnswer['total'] | undefined }) {
  const { t } = useLingui();
  return (
    <Tiles>
      <Tile label={t`Fees`} value={value(total?.fees)} note={t`without VAT`} />
      <Tile label={t`VAT`} value={value(total?.vat)} note={t`to pay to the tax authority`} />
      <Tile label={t`Commission`} value={value(total?.commission)} note={t`from operators`} />
      <Tile label={t`Cost`} value={value(total?.cost)} note={t`of operators`} />
      <Tile
        label={t`Margin`}
        value={value(total?.margin)}
        note={t`fees and commission less cost`}
      />
    </Tiles>
  );
}

function value(amount: string | undefined) {
  return amount === undefined ? '–' : <Money amount={amount} />;
}

/** What came in on each day. */
function ByDay({ period }: { readonly period: { readonly from: string; readonly to: string } }) {
  const { t } = useLingui();
  const days = useMargin({ ...period, by: 'day' });
  const lines = days.data?.by[0] === 'day' ? days.data.lines : [];
  const total = days.data?.total;
  return (
    <Card title={<Trans>By day</Trans>} more={<Trans>KES</Trans>}>
      {total === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <BarChart
          label={t`Fees of ${total.fees} and commission of ${total.commission} by day`}
          series={[
            { name: t`Fees`, tone: 'done' },
            { name: t`Commission`, tone: 'waiting' },
          ]}
          bars={lines.map(({ day, fees, commission, margin }) => ({
            title: t`${day ?? ''}: fees ${fees}, commission ${commission}, margin ${margin}`,
            values: [Math.max(0, Number(fees)), Math.max(0, Number(commission))],
          }))}
          begin={lines[0]?.day}
          end={lines.at(-1)?.day}
        />
      )}
    </Card>
  );
}

function Lines({
  by,
  answer: { lines, total },
}: {
  readonly by: Dimension;
  readonly answer: MarginAnswer;
}) {
  const { t } = useLingui();
  const { count } = useFigures();
  const names = useNames();
  const nameOf = (line: MarginLine): string | null => line[by === 'vendor' ? 'vid' : by];
  const column = (
    title: string,
    name: 'amount' | 'fees' | 'vat' | 'cost' | 'commission' | 'margin',
    hide?: 'small',
  ) => ({
    title,
    cell: (line: MarginLine) => <Money amount={line[name]} />,
    total: <Money amount={total[name]} />,
    align: 'end' as const,
    ...(hide === undefined ? {} : { hide }),
  });
  return (
    <Table
      label={t`Fees and margins`}
      rows={lines}
      keyOf={(line) => nameOf(line) ?? ''}
      empty={t`No payment earned or cost anything in this period.`}
      columns={[
        { title: names[by], cell: (line) => nameOf(line) ?? '–', total: t`Total` },
        {
          title: t`Payments`,
          cell: ({ payments }) => count(payments),
          total: count(total.payments),
          align: 'end',
          hide: 'small',
        },
        column(t`Amount`, 'amount', 'small'),
        column(t`Fees`, 'fees'),
        column(t`VAT`, 'vat'),
        column(t`Cost`, 'cost', 'small'),
        column(t`Commission`, 'commission', 'small'),
        column(t`Margin`, 'margin'),
      ]}
    />
  );
}
