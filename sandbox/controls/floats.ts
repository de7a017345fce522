import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { readVendorFloats } from '../../src/payments/vendor-floats/read-floats.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { DEMO_COLLECTOR } from '../data.ts';
import { control } from './control.ts';
import type { ControlDeps } from './control.ts';

const cents = Type.String({
  pattern: String.raw`^\d{1,12}$`,
  form: 'an amount in cents: a string of 1 to 12 digits',
});
const centsAboveZero = Type.String({
  pattern: String.raw`^[1-9]\d{0,11}$`,
  form: 'an amount in cents above 0: a string of at most 12 digits',
});

/** Customers pay the vendor, and the income is moved into its float. Returns the float in cents. */
export async function refill(
  { service: { pool }, ledgerMac }: Pick<ControlDeps, 'service' | 'ledgerMac'>,
  vendorId: number,
  amountCents: bigint,
): Promise<bigint> {
  const paidAt = new Date();
  const reference = `refill-${randomUUID()}`;
  const { collector } = DEMO_COLLECTOR;
  await collect({ pool, ledgerMac }, { collector, reference, vendorId, amountCents, paidAt });
  await fund(pool, { vendorId, requestedAt: paidAt });
  return (await readVendorFloats(pool, [vendorId], paidAt)).get(vendorId)?.floatCents ?? 0n;
}

export function refillFloat(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxRefillFloat',
    method: 'POST',
    path: '/float',
    body: Type.Object({ amount_cents: centsAboveZero }, { additionalProperties: false }),
    response: Type.Object({ float_cents: Type.String() }),
    handle: async ({ body }, { signer }) => ({
      float_cents: String(await refill(deps, signer.vendorId, BigInt(body.amount_cents))),
    }),
  });
}

export function changeOperatorFloat(deps: ControlDeps): AnyResource {
  const { operators, service } = deps;
  return control(deps, {
    name: 'sandboxOperatorFloat',
    method: 'POST',
    path: '/operators/:operator/float',
    params: Type.Object({ operator: Type.String() }),
    body: Type.Object(
      { add_cents: Type.Optional(centsAboveZero), set_cents: Type.Optional(cents) },
      { additionalProperties: false },
    ),
    response: Type.Object({ operator: Type.String(), float_cents: Type.String() }),
    handle: async ({ params: { operator }, body: { add_cents: add, set_cents: set } }) => {
      const isKnown = service.catalogue
        .billers()
        .some((biller) => biller.operatorCode === operator);
      if (!isKnown) throw new Refusal('not_found', { text: 'There is no such operator' });
      if ((add === undefined) === (set === undefined)) {
        const text = 'Send either add_cents or set_cents';
        throw new Refusal(add === undefined ? 'missing_field' : 'invalid_field', {
          field: 'set_cents',
          text,
        });
      }
      const change = set === undefined ? 'add' : 'set';
      const asked = { operator, change, cents: set ?? add ?? '0' } as const;
      return { operator, float_cents: await operators.ask('float', asked) };
    },
  });
}
