import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { RouteView } from '../../../../src/staff/route-view.ts';
import { Card } from '../../design/Card.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Table } from '../../design/Table.tsx';
import { readableMoney } from '../../format/money.ts';

/** Through which operators its payments go. */
export function BillerRoutes({ routes }: { readonly routes: readonly RouteView[] }) {
  const { t } = useLingui();
  const amounts = ({ minimum, maximum }: RouteView): string => {
    if (minimum === null && maximum === null) return t`all`;
    return `${readableMoney(minimum ?? '0.00')} – ${maximum === null ? '…' : readableMoney(maximum)}`;
  };
  return (
    <Card title={<Trans>Routes</Trans>} more={<Trans>in the order in which they are tried</Trans>}>
      <Table
        label={t`Routes`}
        rows={routes}
        keyOf={({ operator }) => operator}
        empty={t`There are no routes.`}
        columns={[
          {
            title: t`Operator`,
            cell: ({ operator }) => (
              <Link to="/operators/$code" params={{ code: operator }}>
                {operator}
              </Link>
            ),
          },
          { title: t`State`, cell: (through) => <RouteState route={through} /> },
          { title: t`Weight`, cell: ({ weight }) => weight, align: 'end', hide: 'small' },
          { title: t`Amounts`, cell: amounts, hide: 'small' },
          {
            title: t`Per day`,
            cell: ({ daily_limit: limit }) => (limit === null ? t`no limit` : readableMoney(limit)),
            align: 'end',
            hide: 'small',
          },
        ]}
      />
    </Card>
  );
}

function RouteState({
  route: { obstacle, breaker_open: isBreakerOpen, on_trial: isOnTrial },
}: {
  readonly route: RouteView;
}) {
  if (obstacle === null && isOnTrial) {
    return (
      <Pill tone="waiting">
        <Trans>A few payments at a time, until the operator answers one</Trans>
      </Pill>
    );
  }
  if (obstacle === null) {
    return (
      <Pill tone="done">
        <Trans>Usable</Trans>
      </Pill>
    );
  }
  return (
    <>
      <Pill tone={isBreakerOpen ? 'alert' : 'waiting'}>
        {isBreakerOpen ? <Trans>Circuit breaker open</Trans> : <Trans>Not used</Trans>}
      </Pill>{' '}
      {obstacle}
    </>
  );
}
