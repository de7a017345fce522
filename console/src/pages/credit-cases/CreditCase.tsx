import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreditCase as Shown } from '../../../../src/staff/credit-cases.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Time } from '../../format/Time.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { Compared } from './Compared.tsx';
import { CASE_KINDS } from './decision-texts.ts';
import { ProposeClosing, ProposeMerge } from './Propose.tsx';
import { Proposals } from './Proposals.tsx';

/** One case: the people whom a document led to. Each look is in the audit log. */
export function CreditCase() {
  const { t } = useLingui();
  const { caseId } = useParams({ from: '/shell/credit/cases/$caseId' });
  const kinds = useNames(CASE_KINDS);
  const found = useQuery({
    queryKey: ['credit-case', caseId],
    queryFn: ({ signal }) => get<Shown>(`/credit/cases/${caseId}`, {}, signal),
    // Each look is an entry of the audit log.
    refetchOnWindowFocus: false,
  });
  const answer = found.data;
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/cases">
            <Trans>People and disputes</Trans>
          </Link>
        }
        title={answer === undefined ? <Trans>Case</Trans> : kinds[answer.kind]}
        about={<Trans>Each view of this page is recorded in the audit log.</Trans>}
      >
        {answer?.closed_at === null && <CaseActions answer={answer} />}
      </PageHeader>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={12} />}
      {answer !== undefined && (
        <>
          <Card title={<Trans>People</Trans>} more={<Trans>As lenders see them today</Trans>}>
            <Compared label={t`People`} people={answer.people} />
          </Card>
          <Card title={<Trans>Case</Trans>}>
            <Facts
              facts={[
                { name: t`Opened`, value: <Time at={answer.opened_at} /> },
                { name: t`Closed`, value: answer.closed_at && <Time at={answer.closed_at} /> },
                { name: t`Finding`, value: answer.resolution },
              ]}
            />
          </Card>
          <Card title={<Trans>Proposals</Trans>}>
            <Proposals proposals={answer.proposals} />
          </Card>
        </>
      )}
    </>
  );
}

function CaseActions({ answer: { case: caseId, people } }: { readonly answer: Shown }) {
  const mayAct = useMay('credit.act');
  const [asked, setAsked] = useState<'merge' | 'close'>();
  if (!mayAct) return null;
  return (
    <>
      {people.length > 1 && (
        <Button kind="primary" onClick={() => setAsked('merge')}>
          <Trans>Propose a merge</Trans>
        </Button>
      )}
      <Button onClick={() => setAsked('close')}>
        <Trans>Propose to close the case</Trans>
      </Button>
      <ProposeMerge
        crns={people.map(({ crn }) => crn).toReversed()}
        caseId={caseId}
        open={asked === 'merge'}
        onClose={() => setAsked(undefined)}
      />
      <ProposeClosing
        caseId={caseId}
        open={asked === 'close'}
        onClose={() => setAsked(undefined)}
      />
    </>
  );
}
