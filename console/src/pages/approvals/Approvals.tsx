import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListedProposal } from '../../../../src/staff/proposal-schema.ts';
import { approvalsQuery } from '../../app/approvals.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { Money } from '../../format/Money.tsx';
import { useProposalWord } from './approval-texts.ts';
import { DecideProposal } from './DecideProposal.tsx';

/** What one person has proposed and another one has to decide. */
export function Approvals() {
  const { t } = useLingui();
  // The number in the navigation may be half a minute old.
  const list = useQuery({ ...approvalsQuery, refetchOnMount: 'always' });
  const [decided, setDecided] = useState<ListedProposal>();
  // Longest waiting first.
  const all = list.data?.proposals.toReversed() ?? [];
  const own = all.filter((each) => each.is_own);
  return (
    <>
      <PageHeader
        title={<Trans>Approvals</Trans>}
        about={<Trans>Proposals of other people that wait for your decision.</Trans>}
      />
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Waiting for you</Trans>}>
        {list.isPending ? (
          <Skeleton lines={6} />
        ) : (
          <List
            label={t`Waiting for you`}
            approvals={all.filter((each) => !each.is_own)}
            onDecide={setDecided}
          />
        )}
      </Card>
      {own.length > 0 && (
        <Card title={<Trans>Proposed by you, for another person</Trans>}>
          <List
            label={t`Proposed by you, for another person`}
            approvals={own}
            onDecide={setDecided}
          />
        </Card>
      )}
      {decided !== undefined && (
        <DecideProposal id={decided.proposal} mayDecide onClose={() => setDecided(undefined)} />
      )}
    </>
  );
}

function List({
  label,
  approvals,
  onDecide,
}: {
  readonly label: string;
  readonly approvals: readonly ListedProposal[];
  readonly onDecide: (approval: ListedProposal) => void;
}) {
  const { t } = useLingui();
  const inWords = useProposalWord();
  if (approvals.length === 0) {
    return (
      <Empty title={<Trans>Nothing to approve</Trans>}>
        <Trans>When a colleague proposes something that you may decide, it appears here.</Trans>
      </Empty>
    );
  }
  return (
    <Table
      label={label}
      rows={approvals}
      keyOf={({ proposal }) => proposal}
      empty=""
      columns={[
        { title: t`Proposal`, cell: (each) => inWords(each.title) },
        { title: t`About`, cell: ({ about }) => about ?? t`our own accounts`, hide: 'small' },
        {
          title: t`KES`,
          cell: ({ amount }) => amount !== null && <Money amount={amount} />,
          align: 'end',
          hide: 'small',
        },
        { title: t`Proposed by`, cell: (each) => each.proposed_by, hide: 'small' },
        {
          title: t`Age`,
          cell: (each) => <Age seconds={secondsSince(each.proposed_at)} />,
          hide: 'small',
        },
        {
          title: '',
          cell: (each) => <Where approval={each} onDecide={onDecide} />,
          align: 'end',
        },
      ]}
    />
  );
}

/** The way to where it is decided. */
function Where({
  approval,
  onDecide,
}: {
  readonly approval: ListedProposal;
  readonly onDecide: (approval: ListedProposal) => void;
}) {
  const { proposal: proposalId, kind } = approval;
  // With what is known of the people whom it is about.
  if (kind.startsWith('credit_')) {
    return (
      <Link to="/credit/proposals/$proposalId" params={{ proposalId }} preload={false}>
        <Trans>Look at it</Trans>
      </Link>
    );
  }
  return (
    <Button onClick={() => onDecide(approval)}>
      <Trans>Look at it</Trans>
    </Button>
  );
}
