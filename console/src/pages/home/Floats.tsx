import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { FloatView } from '../../../../src/staff/float-view.ts';
import { Card } from '../../design/Card.tsx';
import { Rows } from '../../design/Rows.tsx';
import { FloatState } from '../../format/FloatState.tsx';
import { useFigures } from '../../format/figures.ts';
import { readableMoney } from '../../format/money.ts';

/** Our floats with operators; those that end first come first. */
export function Floats({ floats }: { readonly floats: readonly FloatView[] }) {
  const { t } = useLingui();
  const { duration } = useFigures();
  const urgent = floats.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
  return (
    <Card title={<Trans>Float with operators</Trans>}>
      <Rows
        empty={<Trans>No operator has reported our float.</Trans>}
        rows={urgent.map((float) => ({
          key: float.operator,
          title: (
            <Link to="/operators/$code" params={{ code: float.operator }}>
              {float.operator}
            </Link>
          ),
          value: <FloatState state={float.state} />,
          note:
            float.balance === null
              ? t`not reported yet`
              : float.hours_left === null
                ? t`KES ${readableMoney(float.balance)}`
                : t`KES ${readableMoney(float.balance)}, lasts ${duration(float.hours_left * 3600)}`,
        }))}
      />
    </Card>
  );
}

const STATES = ['stopped', 'low', 'enough'];
const MANY_HOURS = 10_000;

function urgencyOf({ state, hours_left: hoursLeft }: FloatView): number {
  return STATES.indexOf(state) * MANY_HOURS + (hoursLeft ?? MANY_HOURS - 1);
}
