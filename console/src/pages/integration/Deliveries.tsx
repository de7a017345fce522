import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { EVENT_STATES, EVENT_TYPES } from '../../../../src/payments/events/event-types.ts';
import type { EventView } from '../../../../src/staff/webhook-view.ts';
import type { EventList, Replayed } from '../../../../src/staff/webhooks.ts';
import { send } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { More } from '../../design/More.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { announce } from '../../design/Toasts.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Integration.module.css';

const EVERY_MS = 10_000;

/** The events of the last 30 days and whether they arrived. */
export function Deliveries({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const mayAct = useMay('integration.act');
  const [filter, setFilter] = useState({ state: '', type: '' });
  const [replayed, setReplayed] = useState<EventView | 'given_up'>();
  const path = `/vendors/${encodeURIComponent(vid)}/events`;
  const list = usePages<EventList>(['vendor', vid, 'events'], path, filter, {
    refetchInterval: EVERY_MS,
  });
  return (
    <Card
      title={<Trans>Deliveries</Trans>}
      more={<Trans>events of the last 30 days, newest first</Trans>}
    >
      <Filter filter={filter} onChange={setFilter} />
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending ? (
        <Skeleton lines={8} />
      ) : (
        <Events
          events={list.data?.pages.flatMap((page) => page.events) ?? []}
          onReplay={mayAct ? setReplayed : undefined}
        />
      )}
      <div className={styles['below']}>
        <More list={list}>
          <Trans>Show older events</Trans>
        </More>
        {mayAct && (
          <Button
            onClick={() => setReplayed('given_up')}
          >{t`Send all given-up events again`}</Button>
        )}
      </div>
      {replayed !== undefined && (
        <Replay vid={vid} what={replayed} onClose={() => setReplayed(undefined)} />
      )}
    </Card>
  );
}

function Filter({
  filter,
  onChange,
}: {
  readonly filter: { readonly state: string; readonly type: string };
  readonly onChange: (filter: { state: string; type: string }) => void;
}) {
  const { t } = useLingui();
  const names = {
    waiting: t`Waiting`,
    delivered: t`Delivered`,
    given_up: t`Given up`,
    off: t`Type is off`,
  };
  return (
    <div className={styles['filter']}>
      <Select
        label={t`State`}
        value={filter.state}
        onChange={(event) => onChange({ ...filter, state: event.target.value })}
        options={{
          '': t`Any`,
          ...Object.fromEntries(EVENT_STATES.map((state) => [state, names[state]])),
        }}
      />
      <Select
        label={t`Type`}
        value={filter.type}
        onChange={(event) => onChange({ ...filter, type: event.target.value })}
        options={{ '': t`Any`, ...Object.fromEntries(EVENT_TYPES.map((type) => [type, type])) }}
      />
    </div>
  );
}

function Events({
  events,
  onReplay,
}: {
  readonly events: readonly EventView[];
  readonly onReplay: ((event: EventView) => void) | undefined;
}) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Deliveries`}
      rows={events}
      keyOf={({ event_id: id }) => id}
      empty={t`No event matches.`}
      columns={[
        { title: t`When`, cell: ({ occurred_at: at }) => <Time at={at} /> },
        { title: t`Event`, cell: (event) => <What event={event} /> },
        { title: t`State`, cell: (event) => <EventState event={event} /> },
        { title: t`Attempts`, cell: ({ attempts }) => attempts, align: 'end', hide: 'small' },
        { title: t`Last result`, cell: ({ last_result: result }) => result ?? '', hide: 'small' },
        {
          title: '',
          align: 'end',
          cell: (event) =>
            onReplay !== undefined && (
              <Button
                onClick={() => onReplay(event)}
                aria-label={t`Send ${event.type} of ${event.reference ?? event.webhook_id} again`}
              >
                <Trans>Send again</Trans>
              </Button>
            ),
        },
      ]}
    />
  );
}

function What({ event }: { readonly event: EventView }) {
  const { type, reference, webhook_id: webhookId, body } = event;
  return (
    <>
      {type}{' '}
      {reference !== null && (
        <Link to="/payments/$reference" params={{ reference }} className={styles['id']}>
          {reference}
        </Link>
      )}
      <details className={styles['body']}>
        <summary>
          <Trans>What is sent</Trans>
        </summary>
        <pre>
          webhook-id: {webhookId}
          {'\n\n'}
          {JSON.stringify(JSON.parse(body), null, 2)}
        </pre>
      </details>
    </>
  );
}

function EventState({ event: { state, due_at: dueAt } }: { readonly event: EventView }) {
  const { t } = useLingui();
  switch (state) {
    case 'delivered':
      return <Pill tone="done">{t`Delivered`}</Pill>;
    case 'given_up':
      return <Pill tone="alert">{t`Given up`}</Pill>;
    case 'off':
      return <Pill tone="info">{t`Type is off`}</Pill>;
    case 'waiting':
      return (
        <>
          <Pill tone="waiting">{t`Waiting`}</Pill>{' '}
          {dueAt !== null && (
            <Trans>
              next at <Time at={dueAt} />
            </Trans>
          )}
        </>
      );
  }
}

function Replay({
  vid,
  what,
  onClose,
}: {
  readonly vid: string;
  readonly what: EventView | 'given_up';
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const path = `/vendors/${encodeURIComponent(vid)}/events`;
  const replay = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { replayed: count } =
      what === 'given_up'
        ? await send<Replayed>('POST', `${path}/replay`, { ...fields, state: 'given_up' })
        : await send<Replayed>('POST', `${path}/${what.event_id}/replay`, fields);
    announce(t`Events that are sent again: ${count}.`);
    await queries.invalidateQueries({ queryKey: ['vendor', vid] });
  };
  return (
    <ConfirmDialog
      title={<Trans>Send again</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Send again</Trans>}
      isFinal
      onConfirm={replay}
    >
      <p>
        <Trans>
          It has the same webhook-id as before, so that the receiver can recognise it as a repeat.
        </Trans>
      </p>
    </ConfirmDialog>
  );
}
