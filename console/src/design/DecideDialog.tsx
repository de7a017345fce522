import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { send } from '../api/client.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Select } from './Select.tsx';

type Decision = 'approve' | 'reject';

/** Asks the second person to approve or reject what is shown; a rejection has a reason. */
export function DecideDialog({
  title,
  path,
  approval = {},
  isOwn = false,
  mayApprove = true,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  /** The API's path of the proposal, without the decision. */
  readonly path: string;
  /** What an approval names, if the path does not say everything. */
  readonly approval?: object;
  /** This person proposed it, so an approval will be refused. */
  readonly isOwn?: boolean;
  /** False: it can only be rejected. */
  readonly mayApprove?: boolean;
  readonly onClose: () => void;
  /** Everything that is decided. */
  readonly children: ReactNode;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [decision, setDecision] = useState<Decision>(mayApprove ? 'approve' : 'reject');
  const isApproval = decision === 'approve';
  const decide = async (reason: string | undefined): Promise<void> => {
    try {
      await send('POST', `${path}/${decision}`, isApproval ? approval : { reason });
    } finally {
      // Also after a refusal: it may have been decided.
      await queries.invalidateQueries();
    }
  };
  return (
    <ConfirmDialog
      title={title}
      open
      onOpenChange={onClose}
      confirm={isApproval ? <Trans>Approve</Trans> : <Trans>Reject</Trans>}
      kind={isApproval ? 'primary' : 'danger'}
      reason={isApproval ? 'none' : 'required'}
      done={isApproval ? t`Approved.` : t`Rejected.`}
      isFinal
      onConfirm={({ reason }) => decide(reason)}
    >
      {children}
      {isOwn && <OwnProposal />}
      <Select
        label={t`Decision`}
        value={decision}
        onChange={(event) => setDecision(event.target.value as Decision)}
        options={mayApprove ? { approve: t`Approve`, reject: t`Reject` } : { reject: t`Reject` }}
      />
    </ConfirmDialog>
  );
}

function OwnProposal() {
  return (
    <p>
      <Trans>You proposed it, so another person has to approve it.</Trans>
    </p>
  );
}
