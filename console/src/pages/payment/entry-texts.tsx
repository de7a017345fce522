import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { TimelineEntry } from '../../../../src/staff/payment-schema.ts';

/** Where the final result came from. */
export function settledBy(source: string | null): ReactNode {
  switch (source) {
    case 'answer':
      return <Trans>The operator said so in its answer to the instruction.</Trans>;
    case 'status':
      return <Trans>The operator said so when it was asked about the payment.</Trans>;
    case 'callback':
      return <Trans>The operator reported it by callback.</Trans>;
    case 'statement':
      return <Trans>The operator’s statement proves it.</Trans>;
    case 'person':
      return <Trans>Two people resolved it with evidence.</Trans>;
    default:
      return source ?? undefined;
  }
}

/** How a line of a statement compares with our ledger. */
export function verdictText(verdict: string): ReactNode {
  switch (verdict) {
    case 'matched':
      return <Trans>agrees with our ledger</Trans>;
    case 'settled':
      return <Trans>proved the result</Trans>;
    case 'reversed':
      return <Trans>paid, and given back</Trans>;
    case 'noted':
      return <Trans>not a payment</Trans>;
    case 'repeated':
      return <Trans>already in an earlier statement</Trans>;
    case 'changed':
      return <Trans>differs from an earlier statement</Trans>;
    case 'theirs_only':
      return <Trans>unknown to us</Trans>;
    case 'amount_difference':
      return <Trans>another amount than ours</Trans>;
    case 'duplicate':
      return <Trans>listed twice</Trans>;
    default:
      return verdict;
  }
}

export function caseAction(action: Extract<TimelineEntry, { kind: 'case' }>['action']): ReactNode {
  switch (action) {
    case 'opened':
      return <Trans>Case opened</Trans>;
    case 'proposed':
      return <Trans>Resolution proposed</Trans>;
    case 'rejected':
      return <Trans>Proposal rejected</Trans>;
    case 'withdrawn':
      return <Trans>Proposal withdrawn</Trans>;
    case 'expired':
      return <Trans>Proposal expired</Trans>;
    case 'approved':
      return <Trans>Resolution approved</Trans>;
  }
}
