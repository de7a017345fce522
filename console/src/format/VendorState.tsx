import { useLingui } from '@lingui/react/macro';
import type { VendorRowView } from '../../../src/staff/vendor-view.ts';
import { Pill } from '../design/Pill.tsx';

/** Whether a vendor may pay, and whether it can. */
export function VendorState({
  vendor: { status, float_state: floatState },
}: {
  readonly vendor: Pick<VendorRowView, 'status' | 'float_state'>;
}) {
  const { t } = useLingui();
  if (status === 'suspended') return <Pill tone="alert">{t`Suspended`}</Pill>;
  if (floatState === 'low') return <Pill tone="waiting">{t`Float is low`}</Pill>;
  return <Pill tone="done">{t`Active`}</Pill>;
}
