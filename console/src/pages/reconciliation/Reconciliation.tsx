import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ComparedDay } from '../../../../src/staff/days.ts';
import { get } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { addDays, today } from '../../format/days.ts';
import { Money } from '../../format/Money.tsx';
import { Bridges } from './Bridges.tsx';
import { CloseDay } from './CloseDay.tsx';
import styles from './Reconciliation.module.css';
import { Statements } from './Statements.tsx';
import { Upload } from './Upload.tsx';

/** One day: statements, what differs, the balances, and closing it. */
export function Reconciliation() {
  const { t } = useLingui();
  const { timeZone } = useSession();
  const navigate = useNavigate();
  const yesterday = addDays(today(timeZone), -1);
  const { day = yesterday } = useSearch({ from: '/shell/reconciliation' });
  const [uploads, setUploads] = useState(false);
  const mayAct = useMay('reconciliation.act');
  const answer = useQuery({
    queryKey: ['reconciliation', day],
    queryFn: ({ signal }) => get<ComparedDay>(`/days/${encodeURIComponent(day)}`, {}, signal),
  });
  const go = (to: string): void => {
    if (to !== '') void navigate({ to: '/reconciliation', search: { day: to } });
  };
  return (
    <>
      <PageHeader
        title={<Trans>Reconciliation</Trans>}
        about={
          <Trans>Our ledger compared with the operators’ statements. Days are in {timeZone}.</Trans>
        }
      >
        {mayAct && answer.data !== undefined && (
          <Button kind="primary" onClick={() => setUploads(true)}>
            <Trans>Import a statement</Trans>
          </Button>
        )}
      </PageHeader>
      <div className={styles['days']}>
        <Button onClick={() => go(addDays(day, -1))} aria-label={t`The day before`}>
          ‹
        </Button>
        <Field
          label={t`Day`}
          type="date"
          value={day}
          max={today(timeZone)}
          onChange={(event) => go(event.target.value)}
        />
        <Button
          onClick={() => go(addDays(day, 1))}
          disabled={day >= today(timeZone)}
          aria-label={t`The day after`}
        >
          ›
        </Button>
      </div>
      {answer.isError && <Problem error={answer.error} onRetry={() => void answer.refetch()} />}
      {answer.isPending && <Skeleton lines={12} />}
      {answer.data !== undefined && (
        <>
          <Day answer={answer.data} />
          <Upload answer={answer.data} isOpen={uploads} onOpenChange={setUploads} />
        </>
      )}
    </>
  );
}

function Day({ answer }: { readonly answer: ComparedDay }) {
  const { t } = useLingui();
  return (
    <>
      <CloseDay answer={answer} />
      <Card title={<Trans>Statements</Trans>}>
        <Statements statements={answer.statements} />
      </Card>
      <Card title={<Trans>Paid through operators on this day</Trans>}>
        <Table
          label={t`Paid through operators`}
          rows={answer.compared}
          keyOf={({ operator }) => operator}
          empty={t`Nothing was paid on this day.`}
          columns={[
            { title: t`Operator`, cell: ({ operator }) => operator },
            { title: t`Ours`, cell: ({ ours }) => <Money amount={ours} />, align: 'end' },
            {
              title: t`Theirs`,
              cell: ({ theirs }) => (theirs === null ? '–' : <Money amount={theirs} />),
              align: 'end',
            },
            {
              title: t`Difference`,
              cell: ({ difference }) =>
                difference === null ? (
                  '–'
                ) : (
                  <span data-differs={difference !== '0.00'} className={styles['difference']}>
                    <Money amount={difference} />
                  </span>
                ),
              align: 'end',
            },
          ]}
        />
      </Card>
      <Bridges floats={answer.floats} />
    </>
  );
}
