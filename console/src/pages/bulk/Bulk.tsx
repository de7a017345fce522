import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { BatchList, BatchView } from '../../../../src/staff/bulk-schema.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Time } from '../../format/Time.tsx';
import { UploadFile } from './UploadFile.tsx';

const EVERY_MS = 3_000;

/** Many payments in one file: checked first, then submitted. */
export function Bulk() {
  const list = useQuery({
    queryKey: ['bulk'],
    queryFn: ({ signal }) => get<BatchList>('/bulk', {}, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>Files of payments</Trans>}
        about={<Trans>A file is checked row by row before anything is paid.</Trans>}
      />
      <UploadFile />
      <Card title={<Trans>Submitted files</Trans>} more={<Trans>the last 50</Trans>}>
        {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={6} />}
        {list.data !== undefined && <Batches batches={list.data.batches} />}
      </Card>
    </>
  );
}

function Batches({ batches }: { readonly batches: readonly BatchView[] }) {
  const { t } = useLingui();
  const { count } = useFigures();
  return (
    <Table
      label={t`Submitted files`}
      rows={batches}
      keyOf={({ reference }) => reference}
      empty={t`No file has been submitted yet.`}
      columns={[
        {
          title: t`Reference`,
          cell: ({ reference }) => (
            <Link to="/bulk/$reference" params={{ reference }}>
              {reference}
            </Link>
          ),
        },
        { title: t`When`, cell: ({ created_at }) => <Time at={created_at} />, hide: 'small' },
        { title: t`State`, cell: (batch) => <BatchState batch={batch} /> },
        { title: t`Rows`, cell: ({ rows }) => count(rows), align: 'end' },
        {
          title: t`Accepted`,
          cell: ({ accepted }) => count(accepted),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Refused rows`,
          cell: ({ refused }) => count(refused),
          align: 'end',
          hide: 'small',
        },
      ]}
    />
  );
}

/** Whether all rows of a file are decided. */
export function BatchState({
  batch: { ended_at: endedAt, refused },
}: {
  readonly batch: BatchView;
}) {
  const { t } = useLingui();
  if (endedAt === null) return <Pill tone="waiting">{t`In progress`}</Pill>;
  if (refused > 0) return <Pill tone="alert">{t`Some refused`}</Pill>;
  return <Pill tone="done">{t`All accepted`}</Pill>;
}
