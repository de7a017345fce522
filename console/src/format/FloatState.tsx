import { Trans } from '@lingui/react/macro';
import type { FloatView } from '../../../src/staff/float-view.ts';
import { Pill } from '../design/Pill.tsx';

/** Whether our float with an operator suffices. */
export function FloatState({ state }: { readonly state: FloatView['state'] }) {
  switch (state) {
    case 'enough':
      return (
        <Pill tone="done">
          <Trans>Enough</Trans>
        </Pill>
      );
    case 'low':
      return (
        <Pill tone="waiting">
          <Trans>Low</Trans>
        </Pill>
      );
    case 'stopped':
      return (
        <Pill tone="alert">
          <Trans>Used up</Trans>
        </Pill>
      );
  }
}
