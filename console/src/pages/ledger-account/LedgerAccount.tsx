import { Trans, useLingui } from '@lingui/react/macro';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { AccountAnswer, LedgerEntryView } from '../../../../src/staff/house.ts';
import { usePages } from '../../api/pages.ts';
import type { BookFilter } from '../../app/finance-routes.ts';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { Balance, useClassNames } from '../ledger/Ledger.tsx';
import { PeriodFilters, PeriodText, usePeriod } from '../ledger/period.tsx';
import { SourceLink } from './SourceLink.tsx';

/** An account of the books, down to each transfer and what caused it. */
export function LedgerAccount() {
  const { books, account } = useParams({ from: '/shell/ledger/$books/$account' });
  const filter: BookFilter = useSearch({ from: '/shell/ledger/$books/$account' });
  const navigate = useNavigate();
  const list = useEntries({ books, account, filter });
  useUntilFound(list);
  const line = list.data?.pages[0]?.line;
  return (
    <>
      <PageHeader
        back={
          <Link to="/ledger" search={filter}>
            <Trans>Trial balance</Trans>
          </Link>
        }
        title={account}
        about={<About of={{ account, books, filter }} line={line} />}
      />
      <PeriodFilters
        filter={filter}
        withVendor={books === 'vendors'}
        onFilter={(search) =>
          void navigate({ to: '/ledger/$books/$account', params: { books, account }, search })
        }
      />
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <>
          <Totals line={line} />
          <Card title={<Trans>Newest first</Trans>} more={<PeriodText filter={filter} />}>
            {list.isPending ? (
              <Skeleton lines={10} />
            ) : (
              <Entries
                of={{ account, books, filter }}
                entries={list.data.pages.flatMap((page) => page.entries)}
                isComplete={!list.hasNextPage}
              />
            )}
          </Card>
        </>
      )}
      <More list={list}>
        <Trans>Show older entries</Trans>
      </More>
    </>
  );
}

function About({
  of: { books, filter },
  line,
}: {
  readonly of: Shown;
  readonly line: AccountAnswer['line'] | undefined;
}) {
  const classes = useClassNames();
  return (
    <>
      {books === 'house' ? (
        <Trans>Our own books</Trans>
      ) : (
        (filter.vid ?? <Trans>All vendors</Trans>)
      )}
      {line !== undefined && `, ${classes[line.class]}`}
    </>
  );
}

function useEntries({ books, account, filter }: Shown) {
  const asked = { ...filter, ...usePeriod(filter) };
  const path = `/ledger/${books}/${encodeURIComponent(account)}`;
  return usePages<AccountAnswer>(['ledger', books, account], path, asked);
}

/** Reads on while nothing has been found: a search in a long period stops from time to time. */
function useUntilFound({ data, hasNextPage, isFetching, isError, fetchNextPage }: EntryList): void {
  const isEmpty = data?.pages.every(({ entries }) => entries.length === 0) === true;
  const goesOn = isEmpty && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
}

type EntryList = ReturnType<typeof useEntries>;

function Totals({ line }: { readonly line: AccountAnswer['line'] | undefined }) {
  const { t } = useLingui();
  const nothing = '–';
  return (
    <Tiles>
      <Tile
        label={t`Before`}
        value={
          line === undefined ? (
            nothing
          ) : (
            <Balance debit={line.opening_debit} credit={line.opening_credit} />
          )
        }
      />
      <Tile
        label={t`Debits`}
        value={line === undefined ? nothing : <Money amount={line.debits} />}
      />
      <Tile
        label={t`Credits`}
        value={line === undefined ? nothing : <Money amount={line.credits} />}
      />
      <Tile
        label={t`At the end`}
        value={line === undefined ? nothing : <Balance debit={line.debit} credit={line.credit} />}
      />
    </Tiles>
  );
}

interface Shown {
  readonly account: string;
  readonly books: string;
  readonly filter: BookFilter;
}

function Entries({
  of,
  entries,
  isComplete,
}: {
  readonly of: Shown;
  readonly entries: readonly LedgerEntryView[];
  readonly isComplete: boolean;
}) {
  const { t } = useLingui();
  const isDebit = ({ debit }: LedgerEntryView): boolean => debit === of.account;
  return (
    <Table
      label={t`Transfers`}
      rows={entries}
      keyOf={({ id }) => id}
      empty={
        isComplete
          ? t`Nothing was posted to this account in the period.`
          : t`Nothing found so far; continue with older entries.`
      }
      columns={[
        { title: t`Time`, cell: (entry) => <When entry={entry} /> },
        {
          title: t`Source`,
          cell: (entry) => <SourceLink entry={entry} />,
        },
        {
          title: t`Other account`,
          cell: (entry) => <OtherAccount of={of} entry={entry} />,
          hide: 'small',
        },
        { title: t`Vendor`, cell: ({ vid }) => vid ?? '', hide: 'small' },
        {
          title: t`Debit`,
          cell: (entry) => isDebit(entry) && <Money amount={entry.amount} />,
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Credit`,
          cell: (entry) => !isDebit(entry) && <Money amount={entry.amount} />,
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Amount`,
          cell: (entry) => (
            <Balance
              debit={isDebit(entry) ? entry.amount : '0.00'}
              credit={isDebit(entry) ? '0.00' : entry.amount}
            />
          ),
          align: 'end',
          hide: 'wide',
        },
      ]}
    />
  );
}

function When({
  entry: { posted_at: at, moved_at: movedAt },
}: {
  readonly entry: LedgerEntryView;
}) {
  return (
    <>
      <Time at={at} />
      {movedAt !== null && (
        <small>
          <Trans>
            moved <Time at={movedAt} />
          </Trans>
        </small>
      )}
    </>
  );
}

function OtherAccount({
  of: { account, books, filter },
  entry: { debit, credit, vid },
}: {
  readonly of: Shown;
  readonly entry: LedgerEntryView;
}) {
  const other = debit === account ? credit : debit;
  return (
    <Link
      to="/ledger/$books/$account"
      params={{ books, account: other }}
      search={vid === null ? filter : { ...filter, vid }}
    >
      {other}
    </Link>
  );
}
