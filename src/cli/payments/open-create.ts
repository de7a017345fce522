import { pino } from 'pino';
import { openPayments } from '../../payments/payments.ts';
import type { Payments } from '../../payments/payments.ts';
import { PRODUCTION_TIMING } from '../../payments/timing.ts';
import type { Session } from '../session.ts';

/** Creates payments with the database. A running service sends them. */
export async function openCreate(
  session: Pick<Session, 'pool' | 'openPool' | 'config'>,
): Promise<Payments['create']> {
  const payments = openPayments({
    pool: session.pool,
    openPool: ({ max }) => session.openPool(max),
    directory: { vendorById: () => undefined },
    roles: new Set(),
    settings: { ...session.config, laneConnections: 1 },
    timing: PRODUCTION_TIMING,
    operators: { connectorOf: () => undefined },
    log: pino({ level: 'silent' }),
  });
  await payments.catalogue.reload();
  return (...asked) => payments.create(...asked);
}
