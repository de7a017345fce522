import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JournalList as Answer, JournalView } from '../../../../src/staff/journals.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import { DecisionState } from '../../format/DecisionState.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { DecideProposal } from '../approvals/DecideProposal.tsx';
import { PayoutList } from './Payouts.tsx';
import { ProposeJournal } from './ProposeJournal.tsx';
import { ProposePayout } from './ProposePayout.tsx';

/** Bookings by hand, each by two people: journals, and payouts to vendors' banks. */
export function Journals() {
  const mayAct = useMay('finance.act');
  const [asked, setAsked] = useState<'journal' | 'payout'>();
  return (
    <>
      <PageHeader
        title={<Trans>Journals and payouts</Trans>}
        about={<Trans>Manual entries: one person proposes, another one approves.</Trans>}
      >
        {mayAct && (
          <>
            <Button onClick={() => setAsked('journal')}>
              <Trans>Propose a journal</Trans>
            </Button>
            <Button onClick={() => setAsked('payout')}>
              <Trans>Propose a payout</Trans>
            </Button>
          </>
        )}
      </PageHeader>
      <JournalList />
      <PayoutList />
      <ProposeJournal open={asked === 'journal'} onClose={() => setAsked(undefined)} />
      <ProposePayout open={asked === 'payout'} onClose={() => setAsked(undefined)} />
    </>
  );
}

function JournalList() {
  const { t } = useLingui();
  const mayAct = useMay('finance.act');
  const [shown, setShown] = useState<string>();
  const list = useQuery({
    queryKey: ['journals'],
    queryFn: ({ signal }) => get<Answer>('/journals', { state: 'all' }, signal),
  });
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  const columns: Column<JournalView>[] = [
    {
      title: t`Reference`,
      cell: (row) => (
        <>
          <Button onClick={() => setShown(row.journal)}>{row.reference}</Button>
          <small>{row.note}</small>
        </>
      ),
    },
    {
      title: t`State`,
      cell: ({ decision }) => (
        <DecisionState decision={decision} approved={<Trans>Booked</Trans>} />
      ),
    },
    { title: t`Proposed`, cell: (row) => <Time at={row.proposed_at} />, hide: 'small' },
    {
      title: t`Lines`,
      cell: ({ lines }) => lines.map(({ account }) => account).join(', '),
      hide: 'small',
    },
    {
      title: t`KES`,
      cell: ({ amount }) => <Money amount={amount} />,
      align: 'end',
    },
  ];
  return (
    <Card title={<Trans>Journals</Trans>} more={<Trans>Newest first</Trans>}>
      {list.data === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <Table
          label={t`Journals`}
          rows={list.data.journals}
          keyOf={({ journal }) => journal}
          empty={t`No journal has been proposed yet.`}
          columns={columns}
        />
      )}
      {shown !== undefined && (
        <DecideProposal id={shown} mayDecide={mayAct} onClose={() => setShown(undefined)} />
      )}
    </Card>
  );
}
