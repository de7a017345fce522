import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CaseDetail, CaseProposal } from '../../../../src/console/answers.ts';
import { send } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { By } from '../../format/By.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { RESOLUTION_NAMES } from '../cases/case-texts.ts';
import styles from './Case.module.css';
import { ProposalFields } from './ProposalFields.tsx';

type Asked = 'propose' | 'approve' | 'reject' | undefined;

/** The proposal, and what this person may do with it. */
export function Decision({ of }: { readonly of: CaseDetail }) {
  const [asked, setAsked] = useState<Asked>();
  const mayAct = useMay('cases.act');
  const { proposal, resolution, resolvedAt, resolvedBy } = of;
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
        <Proposed proposal={proposal} />
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

/** Everything that the second person approves. */
function Proposed({
  proposal,
  effect = true,
}: {
  readonly proposal: CaseProposal;
  /** Whether to show what approving it posts. */
  readonly effect?: boolean;
}) {
  const { t } = useLingui();
  const details = Object.entries(proposal.details ?? {});
  return (
    <>
      <Facts
        facts={[
          { name: t`Resolution`, value: <ResolutionName code={proposal.resolution} /> },
          { name: t`Evidence`, value: proposal.note },
          {
            name: t`Amount`,
            value: proposal.amount && <Money amount={proposal.amount} currency />,
          },
          { name: t`Operator’s reference`, value: proposal.operatorReference },
          { name: t`Message to the vendor`, value: proposal.message },
          ...details.map(([name, value]) => ({ name, value: <code>{value}</code> })),
          { name: t`Proposed by`, value: <By person={proposal.by} at={proposal.at} /> },
        ]}
      />
      {effect && (
        <div className={styles['effect']}>
          <p>
            <Trans>Approving it posts:</Trans>
          </p>
          <ul>
            {proposal.wouldPost.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Choices({
  proposal,
  onAsk,
}: {
  readonly proposal: CaseProposal | null;
  readonly onAsk: (asked: Asked) => void;
}) {
  const { person } = useSession();
  if (proposal === null) {
    return (
      <Button kind="primary" onClick={() => onAsk('propose')}>
        <Trans>Propose a resolution</Trans>
      </Button>
    );
  }
  const isOwn = proposal.by.toLowerCase() === person.login.toLowerCase();
  return (
    <>
      {isOwn && (
        <p className={styles['note']}>
          <Trans>You proposed it, so another person has to approve it.</Trans>
        </p>
      )}
      <Button onClick={() => onAsk('propose')}>
        <Trans>Propose something else</Trans>
      </Button>
      <Button onClick={() => onAsk('reject')}>
        {isOwn ? <Trans>Withdraw</Trans> : <Trans>Reject</Trans>}
      </Button>
      {!isOwn && (
        <Button kind="primary" onClick={() => onAsk('approve')}>
          <Trans>Approve</Trans>
        </Button>
      )}
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
  const { proposal } = of;
  const onOpenChange = (isOpen: boolean): void => {
    if (!isOpen) onClose();
  };
  const act = async (action: string, fields: object): Promise<void> => {
    try {
      await send('POST', `/cases/${of.caseId}/${action}`, fields);
    } finally {
      // Also after a refusal: the proposal may have been replaced.
      await queries.invalidateQueries({ queryKey: ['case', of.caseId] });
    }
  };
  return (
    <>
      <ConfirmDialog
        title={<Trans>Propose a resolution</Trans>}
        open={asked === 'propose'}
        onOpenChange={onOpenChange}
        confirm={<Trans>Propose</Trans>}
        done={t`Proposed. Another person has to approve it.`}
        onConfirm={(fields) => act('propose', withDetails(fields))}
      >
        <ProposalFields of={of} />
      </ConfirmDialog>
      {proposal !== null && (
        <RejectDialog
          proposal={proposal}
          isOpen={asked === 'reject'}
          onOpenChange={onOpenChange}
          onReject={(fields) => act('reject', { ...fields, proposal: proposal.id })}
        />
      )}
      {proposal !== null && (
        <ConfirmDialog
          title={<Trans>Approve this proposal</Trans>}
          open={asked === 'approve'}
          onOpenChange={onOpenChange}
          reason="none"
          confirm={<Trans>Approve and post</Trans>}
          done={t`Approved; the case is resolved.`}
          isFinal
          onConfirm={() => act('approve', { proposal: proposal.id })}
        >
          <Proposed proposal={proposal} />
        </ConfirmDialog>
      )}
    </>
  );
}

function RejectDialog({
  proposal,
  isOpen,
  onOpenChange,
  onReject,
}: {
  readonly proposal: CaseProposal;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onReject: (fields: object) => Promise<void>;
}) {
  const { t } = useLingui();
  return (
    <ConfirmDialog
      title={<Trans>Reject the proposal</Trans>}
      open={isOpen}
      onOpenChange={onOpenChange}
      confirm={<Trans>Reject</Trans>}
      done={t`The case is open again.`}
      onConfirm={onReject}
    >
      <Proposed proposal={proposal} effect={false} />
    </ConfirmDialog>
  );
}

/** The token of prepaid electricity is a detail of the payment. */
function withDetails({ token, ...fields }: Readonly<Record<string, string>>): object {
  return token === undefined ? fields : { ...fields, details: { token } };
}
