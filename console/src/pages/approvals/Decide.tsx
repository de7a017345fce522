import { Trans, useLingui } from '@lingui/react/macro';
import type { Approval } from '../../../../src/console/system-answers.ts';
import { DecideDialog } from '../../design/DecideDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { useKindNames, useProposalName } from './approval-texts.ts';

/** Approves or rejects an entry. */
export function Decide({
  approval,
  onClose,
}: {
  readonly approval: Approval;
  readonly onClose: () => void;
}) {
  const kinds = useKindNames();
  return (
    <DecideDialog
      title={kinds[approval.kind]}
      path={`/house/entries/${approval.id}`}
      onClose={onClose}
    >
      <WhatIsProposed approval={approval} />
    </DecideDialog>
  );
}

function WhatIsProposed({ approval }: { readonly approval: Approval }) {
  const { t } = useLingui();
  const nameOf = useProposalName();
  const { about, note, amount, proposedBy, proposedAt, entry } = approval;
  const consumed = entry?.consumed ?? null;
  return (
    <>
      <Facts
        facts={[
          { name: t`Proposal`, value: nameOf(approval) },
          { name: t`About`, value: about },
          { name: t`Amount`, value: amount !== null && <Money amount={amount} currency /> },
          {
            name: t`Consumed by earlier payments, also booked`,
            value: consumed === null ? null : <Money amount={consumed} currency />,
          },
          { name: t`Money moved`, value: entry && <Time at={entry.movedAt} /> },
          { name: t`Debited account`, value: entry && <code>{entry.debitAccount}</code> },
          { name: t`Credited account`, value: entry && <code>{entry.creditAccount}</code> },
          { name: t`Evidence`, value: note },
          { name: t`Proposed by`, value: proposedBy },
          { name: t`When`, value: <Time at={proposedAt} /> },
        ]}
      />
      {consumed !== null && (
        <p>
          <Trans>
            The balance must be from a time at which the operator was executing none of our
            payments. Otherwise they are counted twice or not at all.
          </Trans>
        </p>
      )}
    </>
  );
}
