import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { BillerView } from '../../../../src/staff/billers.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Columns, Stack } from '../../design/Columns.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { BillerState } from '../../format/BillerState.tsx';
import { Money } from '../../format/Money.tsx';
import { Results } from '../../format/Results.tsx';
import { Time } from '../../format/Time.tsx';
import { BillerRoutes } from './BillerRoutes.tsx';
import { ChangeStatus } from './ChangeStatus.tsx';
import { TryRoute } from './TryRoute.tsx';

const EVERY_MS = 5_000;

/** One biller: its health, its routes, and taking it offline and back. */
export function Biller() {
  const { code } = useParams({ from: '/shell/billers/$code' });
  const biller = useQuery({
    queryKey: ['biller', code],
    queryFn: ({ signal }) => get<BillerView>(`/billers/${encodeURIComponent(code)}`, {}, signal),
    refetchInterval: EVERY_MS,
  });
  if (biller.data !== undefined) return <Shown biller={biller.data} />;
  if (biller.isError)
    return <PageProblem error={biller.error} onRetry={() => void biller.refetch()} />;
  return <Skeleton lines={12} />;
}

function Shown({ biller }: { readonly biller: BillerView }) {
  const { permissions, readOnly } = useSession();
  const mayChange = permissions.includes('billers.act') && !readOnly;
  return (
    <>
      <PageHeader
        back={
          <Link to="/billers">
            <Trans>Billers</Trans>
          </Link>
        }
        title={
          <>
            {biller.name} <BillerState biller={biller} />
          </>
        }
        about={biller.biller}
      >
        {mayChange && <ChangeStatus biller={biller} />}
      </PageHeader>
      {biller.status === 'OFFLINE' && <WhyOffline biller={biller} />}
      <Columns>
        <Stack>
          <Results sums={biller.last_hour} intervals={biller.intervals} />
          <BillerRoutes routes={biller.routes} />
        </Stack>
        <Stack>
          <About biller={biller} />
          <TryRoute code={biller.biller} />
        </Stack>
      </Columns>
    </>
  );
}

function WhyOffline({
  biller: { offline_reason: obstacle, offline_until: until },
}: {
  readonly biller: BillerView;
}) {
  return (
    <Notice tone="alert">
      <Trans>Offline: {obstacle}.</Trans>{' '}
      {until !== null && (
        <Trans>
          It goes online again automatically on <Time at={until} />.
        </Trans>
      )}
    </Notice>
  );
}

function About({ biller }: { readonly biller: BillerView }) {
  const { t } = useLingui();
  return (
    <Card title={<Trans>About</Trans>}>
      <Facts
        facts={[
          { name: t`Category`, value: biller.category },
          { name: t`Minimum`, value: <Money amount={biller.minimum} currency /> },
          {
            name: t`Maximum`,
            value: biller.maximum === null ? t`none` : <Money amount={biller.maximum} currency />,
          },
          { name: t`Accounts`, value: `${biller.account_label}: ${biller.account_format}` },
        ]}
      />
    </Card>
  );
}
