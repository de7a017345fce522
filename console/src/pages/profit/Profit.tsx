import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type {
  BalanceSheetAnswer,
  ProfitAnswer,
} from '../../../../src/staff/financial-statements.ts';
import { get } from '../../api/client.ts';
import type { BookFilter } from '../../app/finance-routes.ts';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { Money } from '../../format/Money.tsx';
import { AccountName } from '../ledger/AccountName.tsx';
import { useClassNames } from '../ledger/Ledger.tsx';
import { PeriodFilters, PeriodText, usePeriod } from '../ledger/period.tsx';

/** What a period brought, and what we have and owe at its end. */
export function Profit() {
  const filter: BookFilter = useSearch({ from: '/shell/profit' });
  const navigate = useNavigate();
  const profit = useReport<ProfitAnswer>('/profit', filter);
  const sheet = useReport<BalanceSheetAnswer>('/balance-sheet', filter);
  return (
    <>
      <PageHeader
        title={<Trans>Profit and balance sheet</Trans>}
        about={<Trans>By the time at which money moved, from the same books as the ledger.</Trans>}
      />
      <PeriodFilters
        filter={filter}
        withVendor={false}
        onFilter={(search) => void navigate({ to: '/profit', search })}
      />
      <Statement
        {...{ filter, found: profit, path: '/profit' }}
        title={<Trans>Profit and loss</Trans>}
      >
        {profit.data !== undefined && <ProfitLines answer={profit.data} filter={filter} />}
      </Statement>
      <Statement
        {...{ filter, found: sheet, path: '/balance-sheet' }}
        title={<Trans>Balance sheet</Trans>}
      >
        {sheet.data !== undefined && <Balance answer={sheet.data} filter={filter} />}
      </Statement>
    </>
  );
}

function useReport<Answer>(path: string, filter: BookFilter) {
  const period = usePeriod(filter);
  return useQuery({
    queryKey: ['report', path, period],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => get<Answer>(path, period, signal),
  });
}

function Statement({
  filter,
  found,
  path,
  title,
  children,
}: {
  readonly filter: BookFilter;
  readonly found: Pick<UseQueryResult, 'isError' | 'error' | 'isPending' | 'refetch'>;
  readonly path: string;
  readonly title: ReactNode;
  readonly children: ReactNode;
}) {
  const period = usePeriod(filter);
  return (
    <Card
      title={title}
      more={
        <>
          <PeriodText filter={filter} />
          <FileLinks path={path} query={period} />
        </>
      }
    >
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={8} />}
      {children}
    </Card>
  );
}

type Line = Pick<ProfitAnswer['lines'][number], 'books' | 'account' | 'class' | 'title' | 'parts'>;

function LineName({ line, filter }: { readonly line: Line; readonly filter: BookFilter }) {
  const classes = useClassNames();
  const kind = classes[line.class];
  return (
    <AccountName line={line} filter={filter}>
      {line.title === null ? kind : `${kind}, ${line.title}`}
    </AccountName>
  );
}

const keyOf = ({ books, account }: Line): string => `${books} ${account}`;

function ProfitLines({
  answer: { lines, total },
  filter,
}: {
  readonly answer: ProfitAnswer;
  readonly filter: BookFilter;
}) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Profit and loss`}
      rows={lines}
      keyOf={keyOf}
      empty={t`No income and no expenses in the period.`}
      columns={[
        {
          title: t`Account`,
          cell: (line) => <LineName line={line} filter={filter} />,
          total: t`Profit`,
        },
        {
          title: t`Amount`,
          cell: ({ amount }) => <Money amount={amount} />,
          total: <Money amount={total.amount} />,
          align: 'end',
        },
      ]}
    />
  );
}

function Balance({
  answer,
  filter,
}: {
  readonly answer: BalanceSheetAnswer;
  readonly filter: BookFilter;
}) {
  const { t } = useLingui();
  return (
    <>
      {!answer.is_even && (
        <Notice tone="alert">
          <Trans>The two sides differ: the books are wrong. Run ledger check.</Trans>
        </Notice>
      )}
      <Tiles>
        <Tile label={t`Assets`} value={<Money amount={answer.assets.closing} />} />
        <Tile label={t`Liabilities`} value={<Money amount={answer.liabilities.closing} />} />
        <Tile label={t`Equity`} value={<Money amount={answer.equity.closing} />} />
        <Tile
          label={t`Profit of all time`}
          value={<Money amount={answer.profit.closing} />}
          note={
            <Trans>
              before: <Money amount={answer.profit.opening} />
            </Trans>
          }
        />
      </Tiles>
      <Table
        label={t`Balance sheet`}
        rows={answer.lines}
        keyOf={keyOf}
        empty={t`There are no accounts yet.`}
        columns={[
          { title: t`Account`, cell: (line) => <LineName line={line} filter={filter} /> },
          {
            title: t`Before`,
            cell: ({ opening }) => <Money amount={opening} />,
            align: 'end',
            hide: 'small',
          },
          {
            title: t`At the end`,
            cell: ({ closing }) => <Money amount={closing} />,
            align: 'end',
          },
        ]}
      />
    </>
  );
}
