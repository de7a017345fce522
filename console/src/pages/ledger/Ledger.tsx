import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AccountSum, SidesView, TrialBalanceAnswer } from '../../../../src/staff/house.ts';
import { get } from '../../api/client.ts';
import type { BookFilter } from '../../app/finance-routes.ts';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { AccountName } from './AccountName.tsx';
import { Corrections } from './Corrections.tsx';
import { PeriodFilters, PeriodText, usePeriod } from './period.tsx';

/** The trial balance: every account, and where it leads. */
export function Ledger() {
  const filter: BookFilter = useSearch({ from: '/shell/ledger' });
  const navigate = useNavigate();
  const period = usePeriod(filter);
  const asked = { ...filter, ...period };
  const found = useQuery({
    queryKey: ['ledger', asked],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => get<TrialBalanceAnswer>('/ledger', asked, signal),
  });
  return (
    <>
      <PageHeader
        title={<Trans>Trial balance</Trans>}
        about={
          filter.vid === undefined ? (
            <Trans>Our own books, and the accounts of all vendors together.</Trans>
          ) : (
            <Trans>The accounts of {filter.vid}.</Trans>
          )
        }
      >
        <FileLinks path="/ledger" query={asked} />
      </PageHeader>
      <PeriodFilters
        filter={filter}
        onFilter={(search) => void navigate({ to: '/ledger', search })}
      />
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.is_even === false && (
        <Notice tone="alert">
          <Trans>Debits and credits differ: the books are wrong. Run ledger check.</Trans>
        </Notice>
      )}
      {!found.isError && (
        <Card title={<Trans>Accounts</Trans>} more={<PeriodText filter={filter} />}>
          {found.data === undefined ? (
            <Skeleton lines={14} />
          ) : (
            <Lines answer={found.data} filter={filter} />
          )}
        </Card>
      )}
      {filter.vid === undefined && <Corrections period={period} />}
    </>
  );
}

function Lines({
  answer,
  filter,
}: {
  readonly answer: TrialBalanceAnswer;
  readonly filter: BookFilter;
}) {
  const { t } = useLingui();
  const { total } = answer;
  const side = (title: string, name: keyof SidesView) => ({
    title,
    cell: (line: SidesView) => <Amount amount={line[name]} />,
    total: <Money amount={total[name]} />,
    ...{ align: 'end' as const, hide: 'small' as const },
  });
  return (
    <Table
      label={t`Trial balance`}
      rows={answer.accounts}
      keyOf={({ books, account }) => `${books} ${account}`}
      empty={t`There are no accounts yet.`}
      columns={[
        {
          title: t`Account`,
          cell: (line) => <LineName line={line} filter={filter} />,
          total: t`Total`,
        },
        {
          title: t`Before`,
          cell: (line) => <Balance debit={line.opening_debit} credit={line.opening_credit} />,
          align: 'end',
          hide: 'small',
        },
        side(t`Debits`, 'debits'),
        side(t`Credits`, 'credits'),
        side(t`Debit balance`, 'debit'),
        side(t`Credit balance`, 'credit'),
        {
          title: t`Balance`,
          cell: (line) => <Balance debit={line.debit} credit={line.credit} />,
          align: 'end',
          hide: 'wide',
          total: <BothSides total={total} />,
        },
      ]}
    />
  );
}

/** They are equal, unless the books are wrong. */
function BothSides({ total }: { readonly total: SidesView }) {
  return (
    <>
      <Balance debit={total.debit} credit="0.00" />
      <br />
      <Balance debit="0.00" credit={total.credit} />
    </>
  );
}

function LineName({ line, filter }: { readonly line: AccountSum; readonly filter: BookFilter }) {
  const classes = useClassNames();
  const { books, class: kind } = line;
  return (
    <AccountName
      line={line}
      filter={filter}
      figure={({ debit, credit }) => <Balance debit={debit} credit={credit} />}
    >
      {books === 'house' ? <Trans>our own</Trans> : <Trans>vendors</Trans>}, {classes[kind]}
    </AccountName>
  );
}

/** An amount; nothing instead of 0. */
function Amount({ amount }: { readonly amount: string }) {
  return amount === '0.00' ? null : <Money amount={amount} />;
}

/** A balance with its side, as accountants write it. */
export function Balance({ debit, credit }: Pick<SidesView, 'debit' | 'credit'>) {
  if (debit !== '0.00') {
    return (
      <Trans>
        <Money amount={debit} /> Dr
      </Trans>
    );
  }
  if (credit === '0.00') return <Money amount="0.00" />;
  return (
    <Trans>
      <Money amount={credit} /> Cr
    </Trans>
  );
}

/** What accountants call the kinds of accounts. */
export function useClassNames(): Readonly<Record<AccountSum['class'], string>> {
  const { t } = useLingui();
  return {
    asset: t`asset`,
    contra_asset: t`contra asset`,
    liability: t`liability`,
    contra_liability: t`contra liability`,
    equity: t`equity`,
    income: t`income`,
    expense: t`expense`,
    clearing: t`clearing`,
  };
}
