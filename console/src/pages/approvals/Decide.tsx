import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Approval } from '../../../../src/console/system-answers.ts';
import { send } from '../../api/client.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Select } from '../../design/Select.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { useKindNames, useProposalName } from './approval-texts.ts';

/** Approves or rejects an entry or a receipt; the request names what is shown. */
export function Decide({
  approval,
  onClose,
}: {
  readonly approval: Approval;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const kinds = useKindNames();
  const queries = useQueryClient();
  const [decision, setDecision] = useState<'approve' | 'reject'>('approve');
  const isApproval = decision === 'approve';
  const decide = async ({ reason }: Readonly<Record<string, string>>): Promise<void> => {
    const approved = approval.receipt === null ? {} : { vid: approval.receipt.vid };
    await send('POST', `${pathOf(approval)}/${decision}`, isApproval ? approved : { reason });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <ConfirmDialog
      title={kinds[approval.kind]}
      open
      onOpenChange={onClose}
      confirm={isApproval ? <Trans>Approve</Trans> : <Trans>Reject</Trans>}
      kind={isApproval ? 'primary' : 'danger'}
      reason={isApproval ? 'none' : 'required'}
      done={isApproval ? t`Approved.` : t`Rejected.`}
      onConfirm={decide}
    >
      <WhatIsProposed approval={approval} />
      <Select
        label={t`Decision`}
        value={decision}
        onChange={(event) => setDecision(event.target.value as typeof decision)}
        options={{ approve: t`Approve`, reject: t`Reject` }}
      />
    </ConfirmDialog>
  );
}

function pathOf({ id, receipt }: Approval): string {
  if (receipt === null) return `/house/entries/${id}`;
  return `/receipts/${encodeURIComponent(receipt.issuer)}/${encodeURIComponent(receipt.receipt)}`;
}

function WhatIsProposed({ approval }: { readonly approval: Approval }) {
  const { t } = useLingui();
  const nameOf = useProposalName();
  const { about, note, amount, proposedBy, proposedAt, receipt } = approval;
  return (
    <Facts
      facts={[
        { name: t`Proposal`, value: nameOf(approval) },
        { name: t`About`, value: about },
        { name: t`Receipt`, value: receipt && `${receipt.receipt} (${receipt.issuer})` },
        { name: t`Amount`, value: amount !== null && <Money amount={amount} currency /> },
        { name: t`Evidence`, value: note },
        { name: t`Proposed by`, value: proposedBy },
        { name: t`When`, value: <Time at={proposedAt} /> },
      ]}
    />
  );
}
