import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { BatchDetail } from '../../../../src/staff/bulk-schema.ts';
import { apiUrl, get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';
import { Time } from '../../format/Time.tsx';
import { BatchState } from './Bulk.tsx';

const EVERY_MS = 1_000;

/** One submitted file: how far it is, and which rows were refused. */
export function Batch() {
  const { reference } = useParams({ from: '/shell/bulk/$reference' });
  const path = `/bulk/${encodeURIComponent(reference)}`;
  const batch = useQuery({
    queryKey: ['bulk', reference],
    queryFn: ({ signal }) => get<BatchDetail>(path, {}, signal),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? EVERY_MS : false),
  });
  if (batch.data !== undefined) return <Shown batch={batch.data} path={path} />;
  if (batch.isError)
    return <PageProblem error={batch.error} onRetry={() => void batch.refetch()} />;
  return <Skeleton lines={12} />;
}

function Shown({ batch, path }: { readonly batch: BatchDetail; readonly path: string }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const { rows, accepted, refused } = batch;
  return (
    <>
      <PageHeader
        back={
          <Link to="/bulk">
            <Trans>Files of payments</Trans>
          </Link>
        }
        title={
          <>
            {batch.reference} <BatchState batch={batch} />
          </>
        }
        about={
          <Trans>
            Submitted <Time at={batch.created_at} />
          </Trans>
        }
      >
        <ButtonLink href={apiUrl(`${path}/results.csv`, { only: 'refused' })} download>
          <Download size={16} aria-hidden="true" />
          <Trans>Refused rows as CSV</Trans>
        </ButtonLink>
        <ButtonLink href={apiUrl(`${path}/results.csv`)} download>
          <Download size={16} aria-hidden="true" />
          <Trans>All results as CSV</Trans>
        </ButtonLink>
      </PageHeader>
      <Tiles>
        <Tile label={t`Rows`} value={count(rows)} />
        <Tile
          label={t`Accepted`}
          value={count(accepted)}
          note={t`now being paid, like single payments`}
        />
        <Tile
          label={t`Refused rows`}
          value={count(refused)}
          tone={refused > 0 ? 'alert' : undefined}
        />
        <Tile label={t`Not decided yet`} value={count(rows - accepted - refused)} />
      </Tiles>
      <Refusals batch={batch} />
    </>
  );
}

function Refusals({ batch }: { readonly batch: BatchDetail }) {
  const { t } = useLingui();
  return (
    <Card title={<Trans>Refused rows</Trans>} more={<Trans>the first 100</Trans>}>
      <Table
        label={t`Refused rows`}
        rows={batch.refusals}
        keyOf={({ row }) => String(row)}
        empty={t`No row has been refused.`}
        columns={[
          { title: t`Row`, cell: ({ row }) => row, align: 'end' },
          {
            title: t`Reference`,
            cell: ({ merchant_reference }) => merchant_reference ?? '',
            hide: 'small',
          },
          { title: t`Problem`, cell: ({ text }) => text },
          { title: t`Code`, cell: ({ code }) => code, hide: 'small' },
        ]}
      />
    </Card>
  );
}
