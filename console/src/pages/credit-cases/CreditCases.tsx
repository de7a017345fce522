import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { CreditCaseList, DisputeList } from '../../../../src/staff/credit-cases.ts';
import type { CreditProposalList } from '../../../../src/staff/credit-proposals.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { Time } from '../../format/Time.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { CASE_KINDS } from './decision-texts.ts';
import { Proposals } from './Proposals.tsx';
import {
  ProposeMerge,
  ProposeSale,
  ProposeSaleEnd,
  ProposeUnmerge,
  ProposeWithdrawal,
} from './Propose.tsx';

/** The worklist of the registry: who is who, disputes, and what two people decide. */
export function CreditCases() {
  const mayAct = useMay('credit.act');
  const [asked, setAsked] = useState<'merge' | 'unmerge' | 'withdrawal' | 'sale' | 'sale-end'>();
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
            <Button onClick={() => setAsked('withdrawal')}>
              <Trans>Withdraw an account</Trans>
            </Button>
            <Button onClick={() => setAsked('sale')}>
              <Trans>Record the sale of a debt</Trans>
            </Button>
            <Button onClick={() => setAsked('sale-end')}>
              <Trans>Undo a sale</Trans>
            </Button>
          </>
        )}
      </PageHeader>
      <CaseList />
      <DisputeList />
      <ProposalList />
      <ProposeMerge open={asked === 'merge'} onClose={() => setAsked(undefined)} />
      <ProposeUnmerge open={asked === 'unmerge'} onClose={() => setAsked(undefined)} />
      <ProposeWithdrawal open={asked === 'withdrawal'} onClose={() => setAsked(undefined)} />
      <ProposeSale open={asked === 'sale'} onClose={() => setAsked(undefined)} />
      <ProposeSaleEnd open={asked === 'sale-end'} onClose={() => setAsked(undefined)} />
    </>
  );
}

function CaseList() {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const kinds = useNames(CASE_KINDS);
  const since = useSince();
  const list = usePages<CreditCaseList>(['credit-cases'], '/credit/cases');
  return (
    <Listed list={list} title={<Trans>Who is who</Trans>}>
      <Table
        label={t`Who is who`}
        rows={list.data?.pages.flatMap(({ cases }) => cases) ?? []}
        keyOf={({ case: caseId }) => caseId}
        empty={t`No case is open.`}
        columns={[
          {
            title: t`Case`,
            cell: ({ case: caseId, kind }) =>
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
          ...since,
        ]}
      />
    </Listed>
  );
}

function DisputeList() {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const since = useSince();
  const list = usePages<DisputeList>(['credit-disputes'], '/credit/disputes');
  return (
    <Listed list={list} title={<Trans>Disputes</Trans>}>
      <Table
        label={t`Disputes`}
        rows={list.data?.pages.flatMap(({ disputes }) => disputes) ?? []}
        keyOf={({ dispute }) => dispute}
        empty={t`No dispute is open.`}
        columns={[
          {
            title: t`Customer`,
            cell: ({ dispute: disputeId, customer }) =>
              mayRead ? (
                <Link to="/credit/disputes/$disputeId" params={{ disputeId }} preload={false}>
                  …{customer}
                </Link>
              ) : (
                `…${customer}`
              ),
          },
          { title: t`Lender`, cell: ({ lender }) => lender },
          ...since,
        ]}
      />
    </Listed>
  );
}

/** Since when something has been open. */
function useSince(): readonly Column<{ readonly opened_at: string }>[] {
  const { t } = useLingui();
  return [
    { title: t`Open for`, cell: ({ opened_at: at }) => <Age seconds={secondsSince(at)} /> },
    { title: t`Since`, cell: ({ opened_at: at }) => <Time at={at} />, hide: 'small' },
  ];
}

/** A list in its card, with the way to further pages. */
function Listed({
  list,
  title,
  more,
  children,
}: {
  readonly list: Pick<
    ReturnType<typeof usePages>,
    'isPending' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly title: ReactNode;
  readonly more?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <>
      {list.error !== null && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={title} more={more}>
        {list.isPending ? <Skeleton lines={4} /> : children}
      </Card>
      <More list={list}>
        <Trans>Show more</Trans>
      </More>
    </>
  );
}

function ProposalList() {
  const list = usePages<CreditProposalList>(['credit-proposals'], '/credit/proposals', {
    state: 'all',
  });
  return (
    <Listed list={list} title={<Trans>Proposals</Trans>} more={<Trans>Newest first</Trans>}>
      <Proposals proposals={list.data?.pages.flatMap(({ proposals }) => proposals) ?? []} />
    </Listed>
  );
}
