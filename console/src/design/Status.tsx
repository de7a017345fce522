import { Trans } from '@lingui/react/macro';
import type { ListedPayment } from '../../../src/staff/payment-schema.ts';
import { Pill } from './Pill.tsx';

/** The status of a payment. */
export function Status({ status }: { readonly status: ListedPayment['status'] }) {
  switch (status) {
    case 'SUCCESS':
      return (
        <Pill tone="done">
          <Trans>Paid</Trans>
        </Pill>
      );
    case 'FAILED':
      return (
        <Pill tone="alert">
          <Trans>Failed</Trans>
        </Pill>
      );
    case 'PENDING':
      return (
        <Pill tone="waiting">
          <Trans>Result pending</Trans>
        </Pill>
      );
    case 'QUEUED':
      return (
        <Pill tone="info">
          <Trans>Queued</Trans>
        </Pill>
      );
  }
}
