import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { ProposalView } from '../../../src/staff/proposal-schema.ts';
import { Pill } from '../design/Pill.tsx';

/** Whether another person has decided about a proposal. */
export function DecisionState({
  decision,
  approved = <Trans>Approved</Trans>,
}: {
  readonly decision: ProposalView['decision'];
  /** The word for an approved one. */
  readonly approved?: ReactNode;
}) {
  switch (decision) {
    case 'approved':
      return <Pill tone="done">{approved}</Pill>;
    case 'rejected':
      return (
        <Pill tone="info">
          <Trans>Rejected</Trans>
        </Pill>
      );
    case 'withdrawn':
      return (
        <Pill tone="info">
          <Trans>Withdrawn</Trans>
        </Pill>
      );
    case 'expired':
      return (
        <Pill tone="info">
          <Trans>Expired</Trans>
        </Pill>
      );
    case null:
      return (
        <Pill tone="waiting">
          <Trans>To approve</Trans>
        </Pill>
      );
  }
}
