import { Trans, useLingui } from '@lingui/react/macro';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import type { ReactNode } from 'react';
import type { BookFilter } from '../../app/finance-routes.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { announce } from '../../design/Toasts.tsx';
import { PeriodFilters, PeriodText, usePeriod } from '../ledger/period.tsx';
import { Statement } from './Statement.tsx';
import { operatorPath, useStatement, vendorPath } from './statement-query.ts';
import type { StatementList } from './statement-query.ts';

/** A vendor's statement on a page of its own, which can be printed. */
export function VendorStatement() {
  const { vid } = useParams({ from: '/shell/vendors/$vid/account-statement' });
  const filter: BookFilter = useSearch({ from: '/shell/vendors/$vid/account-statement' });
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
    />
  );
}

function StatementPage({
  path,
  filter,
  onFilter,
  back,
  title,
  about,
}: {
  readonly path: string;
  readonly filter: BookFilter;
  readonly onFilter: (filter: BookFilter) => void;
  readonly back: ReactNode;
  readonly title: ReactNode;
  readonly about: ReactNode;
}) {
  const days = usePeriod(filter);
  const list = useStatement(path, days);
  return (
    <>
      <PageHeader back={back} title={title} about={about}>
        <FileLinks path={path} query={{ from: days.from, to: days.to }} />
        <Print list={list} />
      </PageHeader>
      <PeriodFilters filter={filter} withVendor={false} onFilter={onFilter} />
      <Card title={<Trans>Statement</Trans>} more={<PeriodText filter={filter} />}>
        <Statement list={list} />
      </Card>
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
