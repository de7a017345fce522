import { useLingui } from '@lingui/react/macro';
import type { VendorView } from '../../../src/console/vendor-answers.ts';
import { Pill } from '../design/Pill.tsx';

/** Whether a vendor may pay, and whether it can. */
export function VendorState({
  vendor: { status, floatState },
}: {
  readonly vendor: Pick<VendorView, 'status' | 'floatState'>;
}) {
  const { t } = useLingui();
  if (status === 'suspended') return <Pill tone="alert">{t`Suspended`}</Pill>;
  if (floatState === 'low') return <Pill tone="waiting">{t`Float is low`}</Pill>;
  return <Pill tone="done">{t`Active`}</Pill>;
}
