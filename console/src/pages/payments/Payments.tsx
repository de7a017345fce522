import { Trans, useLingui } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ListedPayment, PaymentsAnswer } from '../../../../src/console/answers.ts';
import { get } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

/** Payments by the filters in the address, newest first. */
export function Payments() {
  const { t } = useLingui();
  const filter = useSearch({ from: '/shell/payments' });
  const columns = useColumns();
  const list = useInfiniteQuery({
    queryKey: ['payments', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<PaymentsAnswer>('/payments', { ...filter, cursor: pageParam }, signal),
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const payments = list.data?.pages.flatMap((page) => page.payments) ?? [];
  return (
    <>
      <h1>
        <Trans>Payments</Trans>
      </h1>
      {list.isError && <Notice tone="alert">{list.error.message}</Notice>}
      <Card title={<Trans>Newest first</Trans>}>
        <Table
          label={t`Payments`}
          columns={columns}
          rows={payments}
          keyOf={(payment) => payment.reference}
          empty={list.isPending ? t`Loading…` : t`No payment matches.`}
        />
      </Card>
      {list.hasNextPage && (
        <div>
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            <Trans>Show older payments</Trans>
          </Button>
        </div>
      )}
    </>
  );
}

function useColumns(): readonly Column<ListedPayment>[] {
  const isStaff = useSession().person.vid === null;
  const vendor: Column<ListedPayment> = {
    title: <Trans>Vendor</Trans>,
    cell: (payment) => payment.vid,
    hide: 'small',
  };
  return [
    { title: <Trans>Created</Trans>, cell: (payment) => <Time at={payment.createdAt} /> },
    {
      title: <Trans>Account</Trans>,
      cell: (payment) => (
        <Link to="/payments/$reference" params={{ reference: payment.reference }}>
          {payment.account}
        </Link>
      ),
    },
    { title: <Trans>Biller</Trans>, cell: (payment) => payment.biller, hide: 'small' },
    ...(isStaff ? [vendor] : []),
    {
      title: <Trans>KES</Trans>,
      cell: (payment) => <Money amount={payment.amount} />,
      align: 'end',
    },
    { title: <Trans>Status</Trans>, cell: (payment) => <Status status={payment.status} /> },
  ];
}
