import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Select } from './Select.tsx';

export type Decision = 'approve' | 'reject';

/** Asks the second person to approve or reject what is shown; a rejection has a reason. */
export function DecideDialog({
  title,
  onDecide,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  /** Gets the reason of a rejection. */
  readonly onDecide: (decision: Decision, reason: string | undefined) => Promise<unknown>;
  readonly onClose: () => void;
  /** Everything that is decided. */
  readonly children: ReactNode;
}) {
  const { t } = useLingui();
  const [decision, setDecision] = useState<Decision>('approve');
  const isApproval = decision === 'approve';
  return (
    <ConfirmDialog
      title={title}
      open
      onOpenChange={onClose}
      confirm={isApproval ? <Trans>Approve</Trans> : <Trans>Reject</Trans>}
      kind={isApproval ? 'primary' : 'danger'}
      reason={isApproval ? 'none' : 'required'}
      done={isApproval ? t`Approved.` : t`Rejected.`}
      onConfirm={({ reason }) => onDecide(decision, reason)}
    >
      {children}
      <Select
        label={t`Decision`}
        value={decision}
        onChange={(event) => setDecision(event.target.value as Decision)}
        options={{ approve: t`Approve`, reject: t`Reject` }}
      />
    </ConfirmDialog>
  );
}
