import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import type { FloatLimits } from './float.ts';
import { saveLimits } from './float-store.ts';
import { findOperator } from './store.ts';

/** Limits to change; absent ones stay, null removes one. */
export type FloatLimitsChange = {
  readonly [Name in keyof FloatLimits]?: bigint | null | undefined;
};

/** Sets when people are alerted about our float with an operator, and when it is no longer used. */
export async function setFloatLimits(
  pool: Pool,
  operatorCode: string,
  change: FloatLimitsChange,
): Promise<void> {
  await changeSettings(pool, 'billers', async (client) => {
    if ((await findOperator(client, operatorCode)) === undefined) {
      throw new PlainError(`Operator ${operatorCode} does not exist.`);
    }
    await saveLimits(client, operatorCode, (known) => merge(known, change));
  });
}

function merge(known: FloatLimits, change: FloatLimitsChange): FloatLimits {
  const pick = (name: keyof FloatLimits): bigint | null =>
    change[name] === undefined ? known[name] : change[name];
  const stopCents = pick('stopCents');
  const lowCents = pick('lowCents');
  const resumeCents = stopCents === null ? null : pick('resumeCents');
  if (stopCents !== null && (resumeCents === null || resumeCents <= stopCents)) {
    throw new PlainError(
      'It must be above the balance at which it is stopped, so that the route does not flap.',
      {
        field: 'resume',
      },
    );
  }
  if (stopCents !== null && lowCents !== null && lowCents < stopCents) {
    throw new PlainError('It must not be below the balance at which it is stopped.', {
      field: 'low',
    });
  }
  return { lowCents, stopCents, resumeCents };
}
