import { Trans } from '@lingui/react/macro';
import type { BillerState as State } from '../../../src/staff/biller-view.ts';
import { Pill } from '../design/Pill.tsx';

/** Fewer than this many results say nothing about a biller. */
const MIN_RESULTS = 10;
const LOW_RATE = 0.9;

/** Whether a biller can be paid, and how well that goes. */
export function BillerState({
  biller: { status, offline_reason: why, last_hour: lastHour },
}: {
  readonly biller: Pick<State, 'status' | 'offline_reason' | 'last_hour'>;
}) {
  if (status === 'OFFLINE') {
    return (
      <span title={why ?? undefined}>
        <Pill tone="alert">
          <Trans>Offline</Trans>
        </Pill>
      </span>
    );
  }
  const { success_rate: successRate, paid, failed } = lastHour;
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
