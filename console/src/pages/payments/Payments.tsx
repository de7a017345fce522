import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect } from 'react';
import type { PaymentsFound } from '../../../../src/staff/payments.ts';
import { download, send } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';
import { ColumnChoice } from './ColumnChoice.tsx';
import { useChosenColumns, usePaymentColumns } from './columns.tsx';
import { isPersonal, toPayments, usePaymentFilter, withoutPage } from './filter.ts';
import type { PaymentFilter } from './filter.ts';
import { Filters } from './Filters.tsx';
import styles from './Payments.module.css';
import { LostCases } from './LostCases.tsx';
import { Understood } from './Understood.tsx';

/** Payments by the filters in the address and a search text, newest first. */
export function Payments() {
  const { timeZone } = useSession();
  const filter = usePaymentFilter();
  const columns = useChosenColumns();
  const list = useQuery({
    queryKey: ['payments', filter],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => send<PaymentsFound>('POST', '/payments/search', filter, signal),
  });
  const file = useExport(filter, columns.chosen);
  usePlaceOfSearch(filter, list.isPlaceholderData ? undefined : list.data);
  return (
    <>
      <PageHeader
        title={<Trans>Payments</Trans>}
        about={
          <Trans>
            Times are those of {timeZone}.{' '}
            <Link to="/payments/owed-details">Details that operators owe</Link>
          </Trans>
        }
      >
        <ColumnChoice columns={columns} />
        <ExportButtons file={file} />
      </PageHeader>
      {file.error !== null && <Problem error={file.error} />}
      <Filters filter={filter} />
      <Understood parts={list.data?.understood ?? []} filter={filter} />
      <LostCases cases={list.data?.lost ?? []} />
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Card title={<Trans>Newest first</Trans>} more={<Count answer={list.data} />}>
          {list.data === undefined ? (
            <Skeleton lines={12} />
          ) : (
            <List answer={list.data} filter={filter} chosen={columns.chosen} />
          )}
        </Card>
      )}
    </>
  );
}

/**
 * A search text with personal data leaves the address, and one without gets there, so that the view can
 * be shared: a reference, a vendor, an amount, a day.
 */
function usePlaceOfSearch(filter: PaymentFilter, answer: PaymentsFound | undefined): void {
  const navigate = useNavigate();
  const address: PaymentFilter = useSearch({ from: '/shell/payments' });
  const page = useLocation({ select: ({ state }) => state.page });
  const isShared = address.search !== undefined;
  const isMisplaced =
    filter.search !== undefined && answer !== undefined && isPersonal(answer) === isShared;
  useEffect(() => {
    if (!isMisplaced) return;
    const shared = { to: '/payments', search: filter, state: page === undefined ? {} : { page } };
    void navigate({ ...(isShared ? toPayments(filter, page) : shared), replace: true });
  });
}

/** The list as a file, with the filter and the columns of the screen. */
function useExport(filter: PaymentFilter, columns: readonly string[]) {
  return useMutation({
    mutationFn: async (format: 'csv' | 'xlsx') => {
      const chosen = `columns=${columns.join(',')}`;
      await download(`/payments/search.${format}?${chosen}`, withoutPage(filter));
    },
  });
}

function ExportButtons({ file }: { readonly file: ReturnType<typeof useExport> }) {
  const { t } = useLingui();
  const names = { xlsx: t`Excel`, csv: t`CSV` } as const;
  return (['xlsx', 'csv'] as const).map((format) => (
    <Button
      key={format}
      disabled={file.isPending}
      title={t`Every payment, with the filter and columns of the screen`}
      onClick={() => file.mutate(format)}
    >
      <Download size={16} aria-hidden="true" />
      {names[format]}
    </Button>
  ));
}

function Count({ answer }: { readonly answer: PaymentsFound | undefined }) {
  if (answer === undefined) return null;
  const count = answer.payments.length;
  if (answer.next !== null) return <Trans>{count} shown, there are older ones</Trans>;
  return <Trans>{count} shown</Trans>;
}

function List({
  answer,
  filter,
  chosen,
}: {
  readonly answer: PaymentsFound;
  readonly filter: PaymentFilter;
  readonly chosen: ReturnType<typeof useChosenColumns>['chosen'];
}) {
  const { t } = useLingui();
  const columns = usePaymentColumns(chosen);
  return (
    <>
      {answer.payments.length === 0 ? (
        <Nothing answer={answer} />
      ) : (
        <Table
          label={t`Payments`}
          columns={columns}
          rows={answer.payments}
          keyOf={(payment) => payment.reference}
          empty=""
        />
      )}
      <Pages answer={answer} filter={filter} />
    </>
  );
}

function Nothing({ answer }: { readonly answer: PaymentsFound }) {
  if (answer.searched_to !== null) {
    return (
      <Empty title={<Trans>Nothing found so far</Trans>}>
        <Trans>
          Everything back to <Time at={answer.searched_to} /> has been searched. Few payments match,
          so the search stopped; continue with older ones.
        </Trans>
      </Empty>
    );
  }
  return (
    <Empty title={<Trans>No payment matches</Trans>}>
      <p>
        <Trans>Check the digits, or take away a filter.</Trans>
      </p>
      <p>
        <Link to="/payments" search={{}} className={styles['plain']}>
          <Trans>Show all payments</Trans>
        </Link>
      </p>
    </Empty>
  );
}

function Pages({
  answer,
  filter,
}: {
  readonly answer: PaymentsFound;
  readonly filter: PaymentFilter;
}) {
  const router = useRouter();
  const navigate = useNavigate();
  const page = useLocation({ select: ({ state }) => state.page ?? 0 });
  const { next } = answer;
  const { cursor } = filter;
  if (next === null && cursor === undefined) return null;
  const newer = (): void => {
    // The newer page is the one before this in the browser's history, if it led here.
    if (page > 0) router.history.back();
    else void navigate(toPayments(withoutPage(filter)));
  };
  const older = (): void => {
    if (next === null) return;
    void navigate(toPayments({ ...filter, cursor: next }, page + 1));
  };
  return (
    <nav className={styles['pages']}>
      <span>{cursor !== undefined && <Trans>Page {page + 1}</Trans>}</span>
      <div>
        <Button disabled={cursor === undefined} onClick={newer}>
          <Trans>Newer</Trans>
        </Button>
        <Button disabled={next === null} onClick={older}>
          <Trans>Older</Trans>
        </Button>
      </div>
    </nav>
  );
}
