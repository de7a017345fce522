import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { DayFloat } from '../../../../src/staff/days.ts';
import { Card } from '../../design/Card.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Reconciliation.module.css';

/** From our balance of each float to the operator's, part by part. */
export function Bridges({ floats }: { readonly floats: readonly DayFloat[] }) {
  return (
    <div className={styles['bridges']}>
      {floats.map((float) => (
        <Card key={float.operator} title={<Trans>Our float with {float.operator}</Trans>}>
          <OneBridge float={float} />
        </Card>
      ))}
    </div>
  );
}

function OneBridge({ float: { booked, report, statement } }: { readonly float: DayFloat }) {
  return (
    <>
      <dl className={styles['bridge']}>
        <Line name={<Trans>In our books now</Trans>} amount={booked} />
        {report !== null && (
          <>
            <Line
              isPart
              name={<Trans>In progress, already executed</Trans>}
              amount={report.in_flight}
            />
            <Line
              isPart
              name={<Trans>Booked since the report, or just before it</Trans>}
              amount={report.settled_since}
            />
            <Line isPart name={<Trans>Top-ups not booked yet</Trans>} amount={report.not_booked} />
            <Line isPart name={<Trans>Unexplained</Trans>} amount={report.unexplained} isAlert />
            <Line
              isSum
              name={
                <Trans>
                  Reported, <Time at={report.at} />
                </Trans>
              }
              amount={report.balance}
            />
          </>
        )}
      </dl>
      {statement === null ? (
        <p className={styles['nothing']}>
          <Trans>No statement with a balance yet.</Trans>
        </p>
      ) : (
        <dl className={styles['bridge']}>
          <Line
            name={
              <Trans>
                In our books at <Time at={statement.at} />
              </Trans>
            }
            amount={statement.booked}
          />
          <Line isPart name={<Trans>Difference</Trans>} amount={statement.difference} isAlert />
          <Line
            isSum
            name={<Trans>Closing balance of the statement</Trans>}
            amount={statement.closing}
          />
        </dl>
      )}
    </>
  );
}

function Line({
  name,
  amount,
  isPart = false,
  isSum = false,
  isAlert = false,
}: {
  readonly name: ReactNode;
  readonly amount: string;
  readonly isPart?: boolean;
  readonly isSum?: boolean;
  /** Anything but zero needs a person. */
  readonly isAlert?: boolean;
}) {
  const kind = isSum ? styles['sum'] : isPart ? styles['part'] : undefined;
  return (
    <div className={kind}>
      <dt>{name}</dt>
      <dd className={styles['difference']} data-differs={isAlert && amount !== '0.00'}>
        <Money amount={amount} />
      </dd>
    </div>
  );
}
