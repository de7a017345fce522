import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreditProposal } from '../../../../src/staff/credit-proposals.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Altered } from '../../design/Altered.tsx';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { DecideDialog } from '../../design/DecideDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { By } from '../../format/By.tsx';
import { DecisionState } from '../../format/DecisionState.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { Compared } from './Compared.tsx';
import { PROPOSAL_KINDS } from './decision-texts.ts';
import { DecideImport, MadeImport } from './DecideImport.tsx';
import { AccountFacts } from './AccountFacts.tsx';
import { Proposed } from './Proposed.tsx';

/** One proposal: what it changes, before and after, and the decision. */
export function Proposal() {
  const { proposalId } = useParams({ from: '/shell/credit/proposals/$proposalId' });
  const kinds = useNames(PROPOSAL_KINDS);
  const found = useQuery({
    queryKey: ['credit-proposal', proposalId],
    queryFn: ({ signal }) => get<CreditProposal>(`/credit/proposals/${proposalId}`, {}, signal),
    refetchOnWindowFocus: false,
  });
  const proposal = found.data;
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/cases">
            <Trans>People and disputes</Trans>
          </Link>
        }
        title={proposal === undefined ? <Trans>Proposal</Trans> : kinds[proposal.what]}
        about={<Trans>Each view of this page is recorded in the audit log.</Trans>}
      >
        {proposal?.decision === null && <Decide proposal={proposal} />}
      </PageHeader>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={12} />}
      {proposal !== undefined && <Content proposal={proposal} />}
    </>
  );
}

/** A file is approved with the file, and a proposal of one's own can only be rejected. */
function Decide({ proposal }: { readonly proposal: CreditProposal }) {
  const mayAct = useMay('credit.act');
  if (!mayAct) return null;
  return proposal.what === 'import' ? (
    <DecideImport proposal={proposal} />
  ) : (
    <DecideButton proposal={proposal} />
  );
}

function DecideButton({ proposal }: { readonly proposal: CreditProposal }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button kind="primary" onClick={() => setIsAsked(true)}>
        <Trans>Decide</Trans>
      </Button>
      {isAsked && (
        <DecideDialog
          title={<Trans>Proposal</Trans>}
          path={`/proposals/${proposal.proposal}`}
          approval={{ seen: proposal.seen }}
          isOwn={proposal.is_own}
          mayApprove={proposal.seen !== null && proposal.problem === null}
          onClose={() => setIsAsked(false)}
        >
          <Grounds proposal={proposal} />
        </DecideDialog>
      )}
    </>
  );
}

function Content({ proposal }: { readonly proposal: CreditProposal }) {
  const { t } = useLingui();
  const { is_own: isOwn, decision, content, problem, merge, dispute, account } = proposal;
  return (
    <>
      {isOwn && decision === null && (
        <Notice tone="info">
          <Trans>You proposed it, so another person has to approve it.</Trans>
        </Notice>
      )}
      {problem !== null && (
        <Notice tone="alert">
          <Trans>It cannot be approved now: {problem}</Trans>
        </Notice>
      )}
      {proposal.what === 'import' && decision === 'approved' && (
        <MadeImport proposalId={proposal.proposal} made={proposal.import} />
      )}
      {content === null ? (
        <Altered />
      ) : (
        <Card title={<Trans>What is proposed</Trans>}>
          <Proposed content={content} />
        </Card>
      )}
      {merge !== null && (
        <Card
          title={<Trans>Before and after</Trans>}
          more={
            proposal.what === 'unmerge' ? (
              <Trans>Now as one person, afterwards apart</Trans>
            ) : (
              <Trans>Now apart, afterwards as one person</Trans>
            )
          }
        >
          <Compared
            label={t`Before and after`}
            people={[merge.from, merge.into]}
            together={merge.together}
          />
        </Card>
      )}
      {dispute !== null && <AccountFacts preview={dispute} dispute={dispute} />}
      {account !== null && <AccountFacts preview={account} />}
      <Card title={<Trans>Grounds</Trans>}>
        <Grounds proposal={proposal} />
      </Card>
    </>
  );
}

function Grounds({ proposal }: { readonly proposal: CreditProposal }) {
  const { t } = useLingui();
  const { case: caseId, decided_at: decidedAt, decided_by: decidedBy } = proposal;
  return (
    <Facts
      facts={[
        { name: t`State`, value: <DecisionState decision={proposal.decision} /> },
        { name: t`Reason`, value: proposal.note },
        { name: t`Evidence`, value: proposal.evidence },
        {
          name: t`Case`,
          value: caseId && (
            <Link to="/credit/cases/$caseId" params={{ caseId }} preload={false}>
              <Trans>Look at it</Trans>
            </Link>
          ),
        },
        {
          name: t`Proposed by`,
          value: <By person={proposal.proposed_by} at={proposal.proposed_at} />,
        },
        { name: t`Decided by`, value: decidedAt && <By person={decidedBy} at={decidedAt} /> },
      ]}
    />
  );
}
