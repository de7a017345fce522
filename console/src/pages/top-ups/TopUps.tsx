import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { TopUpList } from '../../../../src/staff/vendor-top-ups.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

type TopUp = TopUpList['top_ups'][number];

const EVERY_MS = 15_000;

/** Automatic top-ups of vendors' floats: what is set, what ran, what was refused. */
export function TopUps() {
  const list = useQuery({
    queryKey: ['top-ups'],
    queryFn: ({ signal }) => get<TopUpList>('/top-ups', {}, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>Automatic top-ups</Trans>}
        about={
          <Trans>
            The rules that top up vendors’ floats automatically, and the top-ups that they made.
          </Trans>
        }
      />
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <>
          <Card title={<Trans>Rules</Trans>}>
            {list.data === undefined ? <Skeleton lines={4} /> : <Rules rules={list.data.rules} />}
          </Card>
          <Card title={<Trans>Top-ups</Trans>} more={<Trans>Newest first</Trans>}>
            {list.data === undefined ? <Skeleton lines={8} /> : <Ran topUps={list.data.top_ups} />}
          </Card>
        </>
      )}
    </>
  );
}

function Rules({ rules }: Pick<TopUpList, 'rules'>) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Rules`}
      rows={rules}
      keyOf={({ rule }) => rule}
      empty={t`No float is topped up automatically.`}
      columns={[
        { title: t`Vendor`, cell: ({ vid }) => vid },
        { title: t`What`, cell: ({ kind }) => <Kind kind={kind} /> },
        { title: t`Below`, cell: ({ below }) => <Money amount={below} />, align: 'end' },
        {
          title: t`Up to`,
          cell: ({ target }) => target && <Money amount={target} />,
          align: 'end',
          hide: 'small',
        },
        {
          title: t`At most in a day`,
          cell: ({ max_per_day: daily }) => daily && <Money amount={daily} />,
          align: 'end',
          hide: 'small',
        },
        { title: t`Set by`, cell: (row) => row.set_by, hide: 'small' },
      ]}
    />
  );
}

function Ran({ topUps }: { readonly topUps: TopUpList['top_ups'] }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Top-ups`}
      rows={topUps}
      keyOf={(row) => row.top_up}
      empty={t`No rule has topped up a float yet.`}
      columns={[
        { title: t`When`, cell: ({ at }) => <Time at={at} /> },
        { title: t`Vendor`, cell: ({ vid }) => vid },
        { title: t`What`, cell: ({ kind }) => <Kind kind={kind} />, hide: 'small' },
        {
          title: t`State`,
          cell: ({ state, reason }) => (
            <>
              <State state={state} />
              {reason !== null && <small>{reason}</small>}
            </>
          ),
        },
        {
          title: t`Float before`,
          cell: ({ float }) => <Money amount={float} />,
          align: 'end',
          hide: 'small',
        },
        { title: t`KES`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
      ]}
    />
  );
}

function Kind({ kind }: Pick<TopUp, 'kind'>) {
  return kind === 'fund' ? (
    <Trans>Collected income is moved</Trans>
  ) : (
    <Trans>A phone gets a prompt to pay</Trans>
  );
}

function State({ state }: Pick<TopUp, 'state'>) {
  switch (state) {
    case 'funded':
      return (
        <Pill tone="done">
          <Trans>Done</Trans>
        </Pill>
      );
    case 'sent':
      return (
        <Pill tone="info">
          <Trans>Asked</Trans>
        </Pill>
      );
    case 'refused':
      return (
        <Pill tone="alert">
          <Trans>Refused</Trans>
        </Pill>
      );
    case 'started':
    case 'unknown':
      return (
        <Pill tone="waiting">
          <Trans>Not known</Trans>
        </Pill>
      );
  }
}
