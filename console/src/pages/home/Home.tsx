import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { OverviewAnswer } from '../../../../src/staff/overview.ts';
import { get } from '../../api/client.ts';
import { useLive } from '../../api/live.ts';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Columns, Stack } from '../../design/Columns.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Time } from '../../format/Time.tsx';
import { Billers } from './Billers.tsx';
import { Floats } from './Floats.tsx';
import { HomeTiles } from './HomeTiles.tsx';
import styles from './Home.module.css';
import { Minutes } from './Minutes.tsx';

/** How the service is doing now. */
export function Home() {
  const { person } = useSession();
  const isLive = useLive('/home/events', ['home']);
  const home = useQuery({
    queryKey: ['home'],
    queryFn: ({ signal }) => get<OverviewAnswer>('/home', {}, signal),
  });
  const [firstName] = person.name.split(' ');
  return (
    <>
      <PageHeader
        title={<Trans>Hello, {firstName}</Trans>}
        about={home.data !== undefined && <Summary home={home.data} />}
      >
        <Pill tone={isLive ? 'done' : 'waiting'}>
          {isLive ? <Trans>Live</Trans> : <Trans>Connecting…</Trans>}
        </Pill>
      </PageHeader>
      {home.data === undefined && home.isError && (
        <Problem error={home.error} onRetry={() => void home.refetch()} />
      )}
      {home.data === undefined ? (
        home.isPending && (
          <Card title={<Trans>Payments per minute</Trans>}>
            <Skeleton lines={12} />
          </Card>
        )
      ) : (
        <Figures home={home.data} />
      )}
    </>
  );
}

function Summary({ home }: { readonly home: OverviewAnswer }) {
  const { t } = useLingui();
  // A vendor is not told about billers here.
  if (home.open_cases === null) return <Time at={home.at} />;
  const offline = home.billers.filter(({ status }) => status === 'OFFLINE');
  const names = offline.map(({ name }) => name).join(', ');
  return (
    <>
      <Time at={home.at} /> ·{' '}
      {offline.length === 0 ? (
        t`All billers are online.`
      ) : (
        <b className={styles['offline']}>{t`Offline: ${names}.`}</b>
      )}
    </>
  );
}

function Figures({ home }: { readonly home: OverviewAnswer }) {
  return (
    <>
      <HomeTiles home={home} />
      {home.open_cases === null ? (
        <Minutes home={home} />
      ) : (
        <Columns>
          <Stack>
            <Minutes home={home} />
            <Billers billers={home.billers} />
          </Stack>
          <Floats floats={home.floats} />
        </Columns>
      )}
    </>
  );
}
