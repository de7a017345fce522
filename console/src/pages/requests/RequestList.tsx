import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { RequestList as Answer, RequestRow } from '../../../../src/staff/vendor-requests.ts';
import { usePages } from '../../api/pages.ts';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Time } from '../../format/Time.tsx';
import styles from './Requests.module.css';

const EVERY_MS = 10_000;

/** A vendor's requests of the last days, without anything that was sent. */
export function RequestList({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const [only, setOnly] = useState('');
  const path = `/vendors/${encodeURIComponent(vid)}/requests`;
  const list = usePages<Answer>(
    ['vendor', vid, 'requests'],
    path,
    { only },
    {
      refetchInterval: EVERY_MS,
    },
  );
  const days = list.data?.pages[0]?.days ?? 7;
  return (
    <Card
      title={<Trans>Request log</Trans>}
      more={<Trans>the last {days} days, newest first</Trans>}
    >
      <div className={styles['filter']}>
        <Select
          label={t`Result`}
          value={only}
          onChange={(event) => setOnly(event.target.value)}
          options={{ '': t`Any`, refused: t`Refused requests` }}
        />
      </div>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={10} />}
      {list.data && <List requests={list.data.pages.flatMap((page) => page.requests)} />}
      <More list={list} className={styles['filter']}>
        <Trans>Show older requests</Trans>
      </More>
    </Card>
  );
}

function List({ requests }: { readonly requests: readonly RequestRow[] }) {
  const { t } = useLingui();
  const { duration } = useFigures();
  return (
    <Table
      label={t`Request log`}
      rows={requests}
      keyOf={({ request_id: id }) => id}
      empty={t`No request matches.`}
      columns={[
        { title: t`When`, cell: ({ at }) => <Time at={at} /> },
        { title: t`Operation`, cell: ({ method, path }) => `${method} ${path}` },
        { title: t`Result`, cell: (request) => <Result request={request} /> },
        {
          title: t`Duration`,
          cell: ({ duration_ms: ms }) => duration(ms / 1000),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Key`,
          cell: ({ key_id: key }) => (key === null ? t`not proven` : `…${key.slice(-8)}`),
          hide: 'small',
        },
        {
          title: t`Request`,
          cell: ({ request_id: id }) => <code className={styles['id']}>{id}</code>,
          hide: 'small',
        },
      ]}
    />
  );
}

function Result({ request: { status, error_code: code } }: { readonly request: RequestRow }) {
  if (code === null) return <Pill tone="done">{status}</Pill>;
  return (
    <Pill tone={status >= 500 ? 'alert' : 'waiting'}>
      {status} {code}
    </Pill>
  );
}
