import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { DisputeDetail } from '../../../../src/staff/credit-cases.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { AccountFacts } from './AccountFacts.tsx';
import { ProposeOutcome } from './Propose.tsx';

/** One open dispute: the account, the person's words, and what its end changes. */
export function DisputePage() {
  const { disputeId } = useParams({ from: '/shell/credit/disputes/$disputeId' });
  const mayAct = useMay('credit.act');
  const [isAsked, setIsAsked] = useState(false);
  const found = useQuery({
    queryKey: ['credit-dispute', disputeId],
    queryFn: ({ signal }) => get<DisputeDetail>(`/credit/disputes/${disputeId}`, {}, signal),
    refetchOnWindowFocus: false,
  });
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/cases">
            <Trans>People and disputes</Trans>
          </Link>
        }
        title={<Trans>Dispute</Trans>}
        about={<Trans>Each view of this page is recorded in the audit log.</Trans>}
      >
        {mayAct && found.isSuccess && (
          <Button kind="primary" onClick={() => setIsAsked(true)}>
            <Trans>Propose how it ended</Trans>
          </Button>
        )}
      </PageHeader>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={10} />}
      {found.data !== undefined &&
        (found.data.preview === null ? (
          <InNoAnswer />
        ) : (
          <AccountFacts preview={found.data.preview} dispute={found.data.preview} />
        ))}
      <ProposeOutcome dispute={disputeId} open={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

function InNoAnswer() {
  return (
    <Card title={<Trans>Account</Trans>}>
      <Empty title={<Trans>In no answer</Trans>}>
        <Trans>
          It was withdrawn, a suppression rule hides it, or its data is older than the retention.
          While that is so, closing the dispute changes nothing.
        </Trans>
      </Empty>
    </Card>
  );
}
