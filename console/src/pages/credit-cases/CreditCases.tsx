import { Trans, useLingui } from '@lingui/react/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type {
  CreditCasesAnswer,
  CreditProposalsAnswer,
  ListedProposal,
  DisputesAnswer,
} from '../../../../src/console/credit-answers.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { Time } from '../../format/Time.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { CASE_KINDS, PROPOSAL_KINDS } from './decision-texts.ts';
import { ProposeMerge, ProposeUnmerge } from './Propose.tsx';

/** The worklist of the registry: who is who, disputes, and what two people decide. */
export function CreditCases() {
  const mayAct = useMay('credit.act');
  const [asked, setAsked] = useState<'merge' | 'unmerge'>();
  return (
    <>
      <PageHeader
        title={<Trans>People and disputes</Trans>}
        about={<Trans>What people have to decide about the registry, oldest first.</Trans>}
      >
        {mayAct && (
          <>
            <Button onClick={() => setAsked('merge')}>
              <Trans>Propose a merge</Trans>
            </Button>
            <Button onClick={() => setAsked('unmerge')}>
              <Trans>Undo a merge</Trans>
            </Button>
          </>
        )}
      </PageHeader>
      <CaseList />
      <DisputeList />
      <ProposalList />
      <ProposeMerge open={asked === 'merge'} onClose={() => setAsked(undefined)} />
      <ProposeUnmerge open={asked === 'unmerge'} onClose={() => setAsked(undefined)} />
    </>
  );
}

function CaseList() {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const kinds = useNames(CASE_KINDS);
  const list = useInfiniteQuery({
    queryKey: ['credit-cases'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      get<CreditCasesAnswer>('/credit/cases', { cursor: pageParam }, signal),
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Listed list={list} title={<Trans>Who is who</Trans>}>
      <Table
        label={t`Who is who`}
        rows={list.data?.pages.flatMap(({ cases }) => cases) ?? []}
        keyOf={({ caseId }) => caseId}
        empty={t`No case is open.`}
        columns={[
          {
            title: t`Case`,
            cell: ({ caseId, kind }) =>
              mayRead ? (
                <Link to="/credit/cases/$caseId" params={{ caseId }} preload={false}>
                  {kinds[kind]}
                </Link>
              ) : (
                kinds[kind]
              ),
          },
          {
            title: t`Customers`,
            cell: ({ customers }) => customers.map((ending) => `…${ending}`).join(', '),
            hide: 'small',
          },
          {
            title: t`Open for`,
            cell: ({ openedAt }) => <Age seconds={secondsSince(openedAt)} />,
          },
          {
            title: t`Since`,
            cell: ({ openedAt }) => <Time at={openedAt} />,
            hide: 'small',
          },
        ]}
      />
    </Listed>
  );
}

function DisputeList() {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const list = useInfiniteQuery({
    queryKey: ['credit-disputes'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      get<DisputesAnswer>('/credit/disputes', { cursor: pageParam }, signal),
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Listed list={list} title={<Trans>Disputes</Trans>}>
      <Table
        label={t`Disputes`}
        rows={list.data?.pages.flatMap(({ disputes }) => disputes) ?? []}
        keyOf={({ disputeId }) => disputeId}
        empty={t`No dispute is open.`}
        columns={[
          {
            title: t`Customer`,
            cell: ({ disputeId, customer }) =>
              mayRead ? (
                <Link to="/credit/disputes/$disputeId" params={{ disputeId }} preload={false}>
                  …{customer}
                </Link>
              ) : (
                `…${customer}`
              ),
          },
          { title: t`Lender`, cell: ({ lender }) => lender },
          {
            title: t`Open for`,
            cell: ({ openedAt }) => <Age seconds={secondsSince(openedAt)} />,
          },
          {
            title: t`Since`,
            cell: ({ openedAt }) => <Time at={openedAt} />,
            hide: 'small',
          },
        ]}
      />
    </Listed>
  );
}

/** A list in its card, with the way to further pages. */
function Listed({
  list,
  title,
  children,
}: {
  readonly list: Pick<
    ReturnType<typeof useInfiniteQuery>,
    'isPending' | 'isFetching' | 'error' | 'hasNextPage' | 'refetch' | 'fetchNextPage'
  >;
  readonly title: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <>
      {list.error !== null && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={title}>{list.isPending ? <Skeleton lines={4} /> : children}</Card>
      {list.hasNextPage && (
        <div>
          <Button disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
            <Trans>Show more</Trans>
          </Button>
        </div>
      )}
    </>
  );
}

function ProposalList() {
  const list = useQuery({
    queryKey: ['credit-proposals'],
    queryFn: ({ signal }) => get<CreditProposalsAnswer>('/credit/proposals', {}, signal),
  });
  return (
    <>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Proposals</Trans>} more={<Trans>Newest first</Trans>}>
        {list.data === undefined ? (
          <Skeleton lines={4} />
        ) : (
          <Proposals proposals={list.data.proposals} />
        )}
      </Card>
    </>
  );
}

/** Proposals with their state. */
export function Proposals({ proposals }: { readonly proposals: readonly ListedProposal[] }) {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const kinds = useNames(PROPOSAL_KINDS);
  return (
    <Table
      label={t`Proposals`}
      rows={proposals}
      keyOf={({ proposalId }) => proposalId}
      empty={t`Nothing has been proposed yet.`}
      columns={[
        {
          title: t`Proposal`,
          cell: ({ proposalId, kind }) =>
            mayRead ? (
              <Link to="/credit/proposals/$proposalId" params={{ proposalId }} preload={false}>
                {kinds[kind]}
              </Link>
            ) : (
              kinds[kind]
            ),
        },
        { title: t`State`, cell: (row) => <ProposalState decision={row.decision} /> },
        { title: t`Reason`, cell: ({ reason }) => reason, hide: 'small' },
        { title: t`Proposed by`, cell: ({ proposedBy }) => proposedBy, hide: 'small' },
        { title: t`When`, cell: ({ proposedAt }) => <Time at={proposedAt} />, hide: 'small' },
      ]}
    />
  );
}

export function ProposalState({ decision }: Pick<ListedProposal, 'decision'>) {
  switch (decision) {
    case 'approved':
      return (
        <Pill tone="done">
          <Trans>Approved</Trans>
        </Pill>
      );
    case 'rejected':
      return (
        <Pill tone="info">
          <Trans>Rejected</Trans>
        </Pill>
      );
    case null:
      return (
        <Pill tone="waiting">
          <Trans>To approve</Trans>
        </Pill>
      );
  }
}
