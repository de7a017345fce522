import { Trans } from '@lingui/react/macro';
import type { OperatorRow } from '../../../src/staff/operator-view.ts';
import { Pill } from '../design/Pill.tsx';

/** Whether payments go through an operator. */
export function OperatorState({
  operator: { billers, blocked },
}: {
  readonly operator: Pick<OperatorRow, 'billers' | 'blocked'>;
}) {
  if (billers.length === 0) {
    return (
      <Pill tone="info">
        <Trans>No route</Trans>
      </Pill>
    );
  }
  if (blocked.length === 0) {
    return (
      <Pill tone="done">
        <Trans>Usable</Trans>
      </Pill>
    );
  }
  return (
    <Pill tone={blocked.length === billers.length ? 'alert' : 'waiting'}>
      {blocked.length === billers.length ? <Trans>Not used</Trans> : <Trans>Partly used</Trans>}
    </Pill>
  );
}
