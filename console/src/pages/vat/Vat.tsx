import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { VatAnswer } from '../../../../src/staff/reports.ts';
import { get } from '../../api/client.ts';
import type { MonthFilter } from '../../app/finance-routes.ts';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { Filters } from '../../design/Filters.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { addDays, dayOf, today } from '../../format/days.ts';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';

/** The VAT of a month, by vendor. */
export function Vat() {
  const { t } = useLingui();
  const filter: MonthFilter = useSearch({ from: '/shell/vat' });
  const navigate = useNavigate();
  const { timeZone } = useSession();
  const month = filter.month ?? today(timeZone).slice(0, 7);
  const found = useQuery({
    queryKey: ['vat', month],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => get<VatAnswer>('/vat', { month }, signal),
  });
  return (
    <>
      <PageHeader
        title={<Trans>VAT</Trans>}
        about={<Trans>VAT charged with fees, less what corrections returned.</Trans>}
      >
        <FileLinks path="/vat" query={{ month }} />
      </PageHeader>
      <Filters
        key={month}
        onFilter={({ month: chosen }) =>
          void navigate({ to: '/vat', search: chosen === undefined ? {} : { month: chosen } })
        }
      >
        <Field label={t`Month`} name="month" type="month" defaultValue={month} required />
      </Filters>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={8} />}
      {found.data !== undefined && <Month answer={found.data} />}
    </>
  );
}

function Month({ answer }: { readonly answer: VatAnswer }) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  return (
    <>
      {!answer.is_equal && (
        <Notice tone="alert">
          <Trans>The ledger’s account shows another sum. Run ledger check.</Trans>
        </Notice>
      )}
      <Tiles>
        <Tile label={t`Owed before`} value={<Money amount={answer.opening} />} />
        <Tile
          label={t`VAT of the month`}
          value={<Money amount={answer.total.vat} />}
          note={answer.is_equal ? t`equals the ledger’s account` : undefined}
        />
        <Tile label={t`Paid`} value={<Money amount={answer.paid} />} />
        <Tile label={t`Owed at the end`} value={<Money amount={answer.closing} />} />
      </Tiles>
      <Card
        title={<Trans>By vendor</Trans>}
        more={
          <>
            {answer.month}, {timeZone}
          </>
        }
      >
        <Vendors answer={answer} />
      </Card>
    </>
  );
}

function Vendors({ answer: { vendors, total, from, to } }: { readonly answer: VatAnswer }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const { timeZone } = useSession();
  const days = {
    from: dayOf(new Date(from), timeZone),
    to: addDays(dayOf(new Date(to), timeZone), -1),
  };
  const column = (
    title: string,
    name: 'fees' | 'excise' | 'charged' | 'returned' | 'vat',
    hide?: 'small',
  ) => ({
    title,
    cell: (row: VatAnswer['vendors'][number]) => <Money amount={row[name]} />,
    total: <Money amount={total[name]} />,
    align: 'end' as const,
    ...(hide === undefined ? {} : { hide }),
  });
  return (
    <Table
      label={t`VAT by vendor`}
      rows={vendors}
      keyOf={({ vid }) => vid}
      empty={t`No VAT was charged in the month.`}
      columns={[
        {
          title: t`Vendor`,
          cell: ({ vid }) => (
            <Link
              to="/ledger/$books/$account"
              params={{ books: 'vendors', account: 'vat' }}
              search={{ ...days, vid }}
            >
              {vid}
            </Link>
          ),
          total: t`Total`,
        },
        {
          title: t`Charges`,
          cell: ({ charges }) => count(charges),
          total: count(total.charges),
          align: 'end',
          hide: 'small',
        },
        column(t`Taxable fees`, 'fees', 'small'),
        ...(total.excise === '0.00' ? [] : [column(t`Excise duty`, 'excise', 'small')]),
        column(t`Charged`, 'charged'),
        column(t`Given back`, 'returned'),
        column(t`VAT`, 'vat'),
      ]}
    />
  );
}
