import { Trans, useLingui } from '@lingui/react/macro';
import type { BillerState } from '../../../../src/staff/biller-view.ts';
import { Card } from '../../design/Card.tsx';
import { Table } from '../../design/Table.tsx';
import { useBillerColumns } from '../../format/biller-columns.tsx';

/** Billers; those that need a look come first. */
export function Billers({ billers }: { readonly billers: readonly BillerState[] }) {
  const { t } = useLingui();
  const { state, lastHour } = useBillerColumns();
  const sorted = billers.toSorted(
    (one, other) =>
      Number(other.status === 'OFFLINE') - Number(one.status === 'OFFLINE') ||
      other.last_hour.created - one.last_hour.created,
  );
  return (
    <Card title={<Trans>Billers</Trans>} more={<Trans>last hour</Trans>}>
      <Table
        label={t`Billers`}
        rows={sorted}
        keyOf={(biller) => biller.biller}
        empty={t`There are no billers yet.`}
        columns={[...state, ...lastHour]}
      />
    </Card>
  );
}
