import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SettlementAnswer } from '../../../../src/staff/account-statements.ts';
import { apiUrl, get } from '../../api/client.ts';
import type { BookFilter } from '../../app/finance-routes.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { announce } from '../../design/Toasts.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { PeriodFilters, PeriodText, usePeriod } from '../ledger/period.tsx';
import { Statement } from './Statement.tsx';
import { operatorPath, useStatement, vendorPath } from './statement-query.ts';
import type { StatementList } from './statement-query.ts';

/** A vendor's statement on a page of its own, which can be printed. */
export function VendorStatement() {
  const { vid } = useParams({ from: '/shell/vendors/$vid/account-statement' });
  const filter: BookFilter = useSearch({ from: '/shell/vendors/$vid/account-statement' });
  const { to } = usePeriod(filter);
  const navigate = useNavigate();
  const isStaff = useSession().person.vid === null;
  const back = isStaff ? (
    <Link to="/vendors/$vid" params={{ vid }}>
      {vid}
    </Link>
  ) : (
    <Link to="/account">
      <Trans>Account</Trans>
    </Link>
  );
  return (
    <StatementPage
      path={vendorPath(vid)}
      filter={filter}
      onFilter={(search) =>
        void navigate({ to: '/vendors/$vid/account-statement', params: { vid }, search })
      }
      back={back}
      title={<Trans>Statement of {vid}</Trans>}
      about={<Trans>The vendor’s money with us: collected, in the float, reserved.</Trans>}
      files={<MonthFile vid={vid} month={to.slice(0, 7)} />}
    />
  );
}

/** The statement of our float with an operator. */
export function OperatorStatement() {
  const { code } = useParams({ from: '/shell/operators/$code/account-statement' });
  const filter: BookFilter = useSearch({ from: '/shell/operators/$code/account-statement' });
  const { to } = usePeriod(filter);
  const navigate = useNavigate();
  return (
    <StatementPage
      path={operatorPath(code)}
      filter={filter}
      onFilter={(search) =>
        void navigate({ to: '/operators/$code/account-statement', params: { code }, search })
      }
      back={
        <Link to="/operators/$code" params={{ code }}>
          {code}
        </Link>
      }
      title={<Trans>Our float with {code}</Trans>}
      about={
        <>
          <Trans>In our books: top-ups less what payments and charges took.</Trans>{' '}
          <Link to="/reconciliation" search={{ day: to }}>
            <Trans>Compare with the operator’s own statement</Trans>
          </Link>
        </>
      }
    >
      <Settlement code={code} filter={filter} />
    </StatementPage>
  );
}

/** The last month of the period as a document. */
function MonthFile({ vid, month }: { readonly vid: string; readonly month: string }) {
  return (
    <ButtonLink href={apiUrl(`${vendorPath(vid)}/document`, { month })} download>
      <Trans>{month} as PDF</Trans>
    </ButtonLink>
  );
}

/** What one sends to the operator. */
function Settlement({ code, filter }: { readonly code: string; readonly filter: BookFilter }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const { from, to } = usePeriod(filter);
  const path = `/operators/${encodeURIComponent(code)}/settlement`;
  const found = useQuery({
    queryKey: ['settlement', code, from, to],
    queryFn: ({ signal }) => get<SettlementAnswer>(path, { from, to }, signal),
  });
  return (
    <Card
      title={<Trans>Settlement report</Trans>}
      more={<FileLinks path={path} query={{ from, to }} />}
    >
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={8} />}
      {found.data !== undefined && (
        <Table
          label={t`Settlement report`}
          rows={found.data.lines}
          keyOf={({ part, item }) => `${part} ${item}`}
          empty={t`Nothing moved.`}
          columns={[
            { title: t`Part`, cell: ({ part }) => part },
            { title: t`Item`, cell: ({ item }) => item },
            {
              title: t`Number`,
              cell: (line) => line.count !== null && count(line.count),
              align: 'end',
            },
            {
              title: t`Amount`,
              cell: ({ amount }) => amount !== null && <Money amount={amount} />,
              align: 'end',
            },
          ]}
        />
      )}
    </Card>
  );
}

function StatementPage({
  path,
  filter,
  onFilter,
  back,
  title,
  about,
  files,
  children,
}: {
  readonly path: string;
  readonly filter: BookFilter;
  readonly onFilter: (filter: BookFilter) => void;
  readonly back: ReactNode;
  readonly title: ReactNode;
  readonly about: ReactNode;
  readonly files?: ReactNode;
  readonly children?: ReactNode;
}) {
  const days = usePeriod(filter);
  const list = useStatement(path, days);
  return (
    <>
      <PageHeader back={back} title={title} about={about}>
        <FileLinks path={path} query={{ from: days.from, to: days.to }} />
        {files}
        <Print list={list} />
      </PageHeader>
      <PeriodFilters filter={filter} withVendor={false} onFilter={onFilter} />
      <Card title={<Trans>Statement</Trans>} more={<PeriodText filter={filter} />}>
        <Statement list={list} />
      </Card>
      {children}
    </>
  );
}

/** Lines that a browser can print. */
const MAX_PRINTED = 5000;

/** Reads the rest of the statement, then prints it. */
function Print({ list }: { readonly list: StatementList }) {
  const { t } = useLingui();
  const count = list.data?.pages[0]?.count ?? 0;
  const print = async (): Promise<void> => {
    if (count > MAX_PRINTED) {
      announce(t`Too long to print. Choose a shorter period, or a file.`);
      return;
    }
    for (let more = list.hasNextPage; more;) {
      const read = await list.fetchNextPage();
      if (read.isError) return;
      more = read.hasNextPage;
    }
    // When the browser has drawn the lines.
    requestAnimationFrame(() => setTimeout(() => window.print()));
  };
  return (
    <Button disabled={list.data === undefined} onClick={() => void print()}>
      <Printer size={16} aria-hidden="true" />
      <Trans>Print</Trans>
    </Button>
  );
}
