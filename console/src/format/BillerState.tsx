import { Trans } from '@lingui/react/macro';
import type { BillerView } from '../../../src/console/operations-answers.ts';
import { Pill } from '../design/Pill.tsx';

/** Fewer than this many results say nothing about a biller. */
const MIN_RESULTS = 10;
const LOW_RATE = 0.9;

/** Whether a biller can be paid, and how well that goes. */
export function BillerState({
  biller: { status, obstacle, lastHour },
}: {
  readonly biller: Pick<BillerView, 'status' | 'obstacle' | 'lastHour'>;
}) {
  if (status === 'OFFLINE') {
    return (
      <span title={obstacle ?? undefined}>
        <Pill tone="alert">
          <Trans>Offline</Trans>
        </Pill>
      </span>
    );
  }
  const { successRate, paid, failed } = lastHour;
  if (successRate !== null && successRate < LOW_RATE && paid + failed >= MIN_RESULTS) {
    return (
      <Pill tone="waiting">
        <Trans>Many failures</Trans>
      </Pill>
    );
  }
  return (
    <Pill tone="done">
      <Trans>Online</Trans>
    </Pill>
  );
}
