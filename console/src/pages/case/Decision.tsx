import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CaseDetail } from '../../../../src/staff/cases.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { By } from '../../format/By.tsx';
import { Time } from '../../format/Time.tsx';
import { DecideProposal } from '../approvals/DecideProposal.tsx';
import { RESOLUTION_NAMES } from '../cases/case-texts.ts';
import styles from './Case.module.css';
import { ProposalFields } from './ProposalFields.tsx';

type Asked = 'propose' | 'decide' | undefined;
type CaseProposal = NonNullable<CaseDetail['proposal']>;

/** The proposal, and what this person may do with it. */
export function Decision({ of }: { readonly of: CaseDetail }) {
  const [asked, setAsked] = useState<Asked>();
  const mayAct = useMay('cases.act');
  const { proposal, resolution, resolved_at: resolvedAt, resolved_by: resolvedBy } = of;
  if (resolution !== null) {
    return (
      <Notice tone="done">
        <ResolutionName code={resolution} />
        {', '}
        <Trans>approved by {resolvedBy}</Trans>
        {resolvedAt !== null && (
          <>
            {', '}
            <Time at={resolvedAt} />
          </>
        )}
      </Notice>
    );
  }
  return (
    <Card title={proposal === null ? <Trans>Decision</Trans> : <Trans>Proposal</Trans>}>
      {proposal === null ? (
        <p className={styles['text']}>
          <Trans>
            Nobody has proposed a resolution yet. A proposal posts nothing; another person has to
            approve it.
          </Trans>
        </p>
      ) : (
        <Proposed of={of} proposal={proposal} />
      )}
      {mayAct && (
        <div className={styles['actions']}>
          <Choices proposal={proposal} onAsk={setAsked} />
        </div>
      )}
      <Dialogs of={of} asked={asked} onClose={() => setAsked(undefined)} />
    </Card>
  );
}

function ResolutionName({ code }: { readonly code: string }) {
  const { i18n } = useLingui();
  const name = RESOLUTION_NAMES[code];
  return <b>{name === undefined ? code : i18n._(name)}</b>;
}

/** What is proposed. Everything that the second person approves is shown with the decision. */
function Proposed({ of, proposal }: { readonly of: CaseDetail; readonly proposal: CaseProposal }) {
  const { t } = useLingui();
  return (
    <Facts
      facts={[
        { name: t`Resolution`, value: <ResolutionName code={of.proposed ?? ''} /> },
        { name: t`Evidence`, value: proposal.note },
        { name: t`Proposed by`, value: <By person={of.proposed_by} at={proposal.proposed_at} /> },
      ]}
    />
  );
}

function Choices({
  proposal,
  onAsk,
}: {
  readonly proposal: CaseProposal | null;
  readonly onAsk: (asked: Asked) => void;
}) {
  if (proposal === null) {
    return (
      <Button kind="primary" onClick={() => onAsk('propose')}>
        <Trans>Propose a resolution</Trans>
      </Button>
    );
  }
  return (
    <>
      <Button onClick={() => onAsk('propose')}>
        <Trans>Propose something else</Trans>
      </Button>
      <Button kind="primary" onClick={() => onAsk('decide')}>
        <Trans>Look at it</Trans>
      </Button>
    </>
  );
}

function Dialogs({
  of,
  asked,
  onClose,
}: {
  readonly of: CaseDetail;
  readonly asked: Asked;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { case: caseId, proposal } = of;
  const propose = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    try {
      await send('POST', `/cases/${caseId}/propose`, withDetails(fields));
    } finally {
      // Also after a refusal: the proposal may have been replaced.
      await queries.invalidateQueries({ queryKey: ['case', caseId] });
    }
  };
  return (
    <>
      <ConfirmDialog
        title={<Trans>Propose a resolution</Trans>}
        open={asked === 'propose'}
        onOpenChange={(isOpen) => isOpen || onClose()}
        confirm={<Trans>Propose</Trans>}
        done={t`Proposed. Another person has to approve it.`}
        onConfirm={propose}
      >
        <ProposalFields of={of} />
      </ConfirmDialog>
      {proposal !== null && asked === 'decide' && (
        <DecideProposal id={proposal.proposal} mayDecide onClose={onClose} />
      )}
    </>
  );
}

/** The token of prepaid electricity is a detail of the payment. */
function withDetails({ token, ...fields }: Readonly<Record<string, string>>): object {
  return token === undefined ? fields : { ...fields, details: { token } };
}
