import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { BillerList } from '../../../../src/staff/billers.ts';
import { get } from '../../api/client.ts';
import { PageButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useBillerColumns } from '../../format/biller-columns.tsx';

const EVERY_MS = 5_000;

/** What can be paid, and how well that goes. */
export function Billers() {
  const { t } = useLingui();
  const { state, lastHour } = useBillerColumns();
  const list = useQuery({
    queryKey: ['billers'],
    queryFn: ({ signal }) => get<BillerList>('/billers', {}, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>Billers</Trans>}
        about={<Trans>What can be paid. The figures are of the last hour.</Trans>}
      >
        <PageButtonLink to="/prices">
          <Trans>Prices</Trans>
        </PageButtonLink>
        <PageButtonLink to="/prefixes">
          <Trans>Phone prefixes</Trans>
        </PageButtonLink>
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>All billers</Trans>}>
        {list.isPending ? (
          <Skeleton lines={10} />
        ) : (
          <Table
            label={t`Billers`}
            rows={list.data?.billers ?? []}
            keyOf={(biller) => biller.biller}
            empty={t`There are no billers yet.`}
            columns={[
              ...state,
              { title: t`Reason`, cell: (biller) => biller.offline_reason ?? '', hide: 'small' },
              { title: t`Operators`, cell: ({ operators }) => operators.join(', '), hide: 'small' },
              ...lastHour,
            ]}
          />
        )}
      </Card>
    </>
  );
}
