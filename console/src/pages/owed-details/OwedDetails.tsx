import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OwedDetailsAnswer } from '../../../../src/staff/payments.ts';
import { get } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

type Owed = OwedDetailsAnswer['payments'][number];

const EVERY_MS = 15_000;
const AT_MOST = 500;

/** Paid payments of which operators owe details, such as tokens. */
export function OwedDetails() {
  const list = useQuery({
    queryKey: ['owed-details'],
    queryFn: ({ signal }) =>
      get<OwedDetailsAnswer>('/payments/owed-details', { limit: AT_MOST }, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>Details that are owed</Trans>}
        about={
          <Trans>
            Paid payments of which the operator owes details, such as a token. It is asked again and
            again; the vendor is told when they come.
          </Trans>
        }
      >
        <FileLinks path="/payments/owed-details" query={{ limit: AT_MOST }} />
      </PageHeader>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Card title={<Trans>Owed longest first</Trans>} more={<Count answer={list.data} />}>
          {list.data === undefined ? (
            <Skeleton lines={8} />
          ) : (
            <List payments={list.data.payments} />
          )}
        </Card>
      )}
    </>
  );
}

function Count({ answer }: { readonly answer: OwedDetailsAnswer | undefined }) {
  const count = answer?.payments.length ?? 0;
  if (count === 0) return null;
  if (count === AT_MOST) return <Trans>The first {count}</Trans>;
  return <Plural value={count} one="# payment" other="# payments" />;
}

function List({ payments }: { readonly payments: readonly Owed[] }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Details that are owed`}
      rows={payments}
      keyOf={({ reference }) => reference}
      empty={t`No operator owes details.`}
      columns={useColumns()}
    />
  );
}

function useColumns(): readonly Column<Owed>[] {
  const { t } = useLingui();
  const isStaff = useSession().person.vid === null;
  const forStaff: readonly Column<Owed>[] = [
    { title: t`Vendor`, cell: ({ vid }) => vid, hide: 'small' },
    { title: t`Last answer`, cell: ({ note }) => note ?? '', hide: 'small' },
  ];
  return [
    { title: t`Payment`, cell: (owed) => <Payment owed={owed} /> },
    { title: t`Owed for`, cell: ({ since }) => <Age seconds={secondsSince(since)} /> },
    { title: t`Operator`, cell: ({ operator }) => operator, hide: 'small' },
    { title: t`Asked`, cell: ({ asked }) => asked, align: 'end', hide: 'small' },
    { title: t`Next question`, cell: ({ next_at: at }) => <Next at={at} />, hide: 'small' },
    ...(isStaff ? forStaff : []),
    { title: t`KES`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
  ];
}

function Payment({ owed }: { readonly owed: Owed }) {
  const { reference, account, biller } = owed;
  return (
    <>
      <Link to="/payments/$reference" params={{ reference }}>
        {account}
      </Link>{' '}
      <small>{biller}</small>
    </>
  );
}

/** After a month nobody asks, and only a callback brings details. */
function Next({ at }: { readonly at: string | null }) {
  return at === null ? <Trans>Not asked any more</Trans> : <Time at={at} />;
}
