import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { BillerView } from '../../../../src/console/operations-answers.ts';
import { Card } from '../../design/Card.tsx';
import { Table } from '../../design/Table.tsx';
import { BillerState } from '../../format/BillerState.tsx';
import { useFigures } from '../../format/figures.ts';

/** Billers; those that need a look come first. */
export function Billers({ billers }: { readonly billers: readonly BillerView[] }) {
  const { t } = useLingui();
  const { count, percent, duration } = useFigures();
  const sorted = billers.toSorted(
    (one, other) =>
      Number(other.status === 'OFFLINE') - Number(one.status === 'OFFLINE') ||
      other.lastHour.created - one.lastHour.created,
  );
  return (
    <Card title={<Trans>Billers</Trans>} more={<Trans>last hour</Trans>}>
      <Table
        label={t`Billers`}
        rows={sorted}
        keyOf={({ code }) => code}
        empty={t`There are no billers yet.`}
        columns={[
          {
            title: t`Biller`,
            cell: ({ code, name }) => (
              <Link to="/billers/$code" params={{ code }}>
                {name}
              </Link>
            ),
          },
          { title: t`State`, cell: (biller) => <BillerState biller={biller} /> },
          { title: t`Payments`, cell: ({ lastHour }) => count(lastHour.created), align: 'end' },
          {
            title: t`Success`,
            cell: ({ lastHour }) => percent(lastHour.successRate),
            align: 'end',
            hide: 'small',
          },
          {
            title: t`p95`,
            cell: ({ lastHour }) => duration(lastHour.p95Seconds),
            align: 'end',
            hide: 'small',
          },
        ]}
      />
    </Card>
  );
}
