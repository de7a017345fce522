import { Type } from 'typebox';
import { changeBillerStatus } from '../../src/payments/billers/administer.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { nullable } from '../../src/platform/http/schemas.ts';
import { control } from './control.ts';
import type { ControlDeps } from './control.ts';

const params = Type.Object({ biller: Type.String() });
const response = Type.Object({
  biller: Type.String(),
  status: Type.String(),
  until: nullable(Type.String()),
});
const MAX_SECONDS = 86_400;

/** A biller is offline for all vendors, as it would be. */
export function takeBillerOffline(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxBillerOffline',
    method: 'POST',
    path: '/billers/:biller/offline',
    params,
    body: Type.Object(
      {
        seconds: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_SECONDS,
            form: `a whole number from 1 to ${MAX_SECONDS}`,
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response,
    handle: async ({ params: { biller }, body: { seconds } }) => {
      const until = seconds === undefined ? undefined : new Date(Date.now() + seconds * 1_000);
      await change(deps, biller, 'OFFLINE', until);
      return { biller, status: 'OFFLINE', until: until?.toISOString() ?? null };
    },
  });
}

export function bringBillerOnline(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxBillerOnline',
    method: 'POST',
    path: '/billers/:biller/online',
    params,
    response,
    handle: async ({ params: { biller } }) => {
      await change(deps, biller, 'ONLINE', undefined);
      return { biller, status: 'ONLINE', until: null };
    },
  });
}

async function change(
  { service: { pool, catalogue } }: Pick<ControlDeps, 'service'>,
  code: string,
  status: 'ONLINE' | 'OFFLINE',
  until: Date | undefined,
): Promise<void> {
  if (catalogue.biller(code) === undefined) {
    throw new Refusal('not_found', { text: 'There is no such biller' });
  }
  await changeBillerStatus(pool, code, status, until === undefined ? {} : { until });
  // The next request of this process meets it.
  await catalogue.reload();
}
