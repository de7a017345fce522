import { Type } from 'typebox';
import { readPayment } from '../../src/payments/create/store.ts';
import type { Vendor } from '../../src/parties/vendor.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { nullable } from '../../src/platform/http/schemas.ts';
import { OUTCOMES } from '../operators/behaviour.ts';
import type { OutcomeName } from '../operators/behaviour.ts';
import { control, referencesOf } from './control.ts';
import type { ControlDeps } from './control.ts';

const NAMES = Object.keys(OUTCOMES) as OutcomeName[];
const MAX_TIMES = 1_000;

export const nextOutcomes = Type.Array(
  Type.Object({
    outcome: Type.String(),
    times: Type.Integer(),
    account: nullable(Type.String()),
  }),
);

export async function listNextOutcomes({ operators }: ControlDeps, vendor: Vendor) {
  const choices = await operators.ask('choices', { references: referencesOf(vendor) });
  return choices.map(({ outcome, times, account }) => ({ outcome, times, account }));
}

export function chooseNextOutcome(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxNextOutcome',
    method: 'POST',
    path: '/next-outcome',
    body: Type.Object(
      {
        outcome: Type.Enum(NAMES, { form: `one of ${NAMES.join(', ')}` }),
        times: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_TIMES,
            form: `a whole number from 1 to ${MAX_TIMES}`,
          }),
        ),
        account: Type.Optional(
          Type.String({
            pattern: String.raw`^\S{1,64}$`,
            form: 'an account without spaces, as the operator gets it: mobile numbers begin with 254',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ next_outcomes: nextOutcomes }),
    handle: async ({ body: { outcome, times = 1, account = null } }, { signer }) => {
      const choice = { references: referencesOf(signer), account, outcome, times };
      if (!(await deps.operators.ask('choose', choice))) {
        const text = 'Too many outcomes wait to be used. Drop them first';
        throw new Refusal('too_many_requests', { text, retryAfterSeconds: 60 });
      }
      return { next_outcomes: await listNextOutcomes(deps, signer) };
    },
  });
}

export function dropNextOutcomes(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxDropNextOutcomes',
    method: 'DELETE',
    path: '/next-outcome',
    response: Type.Object({ next_outcomes: nextOutcomes }),
    handle: async (_asked, { signer }) => {
      await deps.operators.ask('dropChoices', { references: referencesOf(signer) });
      return { next_outcomes: await listNextOutcomes(deps, signer) };
    },
  });
}

const RESULTS = ['paid', 'declined'] as const;
export type Result = (typeof RESULTS)[number];

/**
 * Has the operator decide now. The service learns it as it always does, by the operator's callback or
 * by asking, so that what the operators really paid and the ledger agree.
 * Throws: `not_found`, `changed_meanwhile`.
 */
export async function advance(
  { service: { pool }, operators }: Pick<ControlDeps, 'service' | 'operators'>,
  { vendorId }: Pick<Vendor, 'vendorId'>,
  { reference, result }: { readonly reference: string; readonly result: Result },
): Promise<void> {
  const known = decodeReference(reference);
  const payment =
    known?.vendorId === vendorId ? await readPayment(pool, vendorId, known.paymentId) : undefined;
  if (payment === undefined) throw new Refusal('not_found', { text: 'There is no such payment' });
  const before = await operators.ask('advance', { reference, result });
  if (before === 'accepted' || before === 'silent') return;
  const text =
    before === null
      ? 'No operator has an instruction for this payment yet; the emulated providers decide by themselves'
      : `The operator has decided already: ${before}`;
  throw new Refusal('changed_meanwhile', { text });
}

export function advancePayment(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxAdvancePayment',
    method: 'POST',
    path: '/payments/:reference/advance',
    params: Type.Object({ reference: Type.String() }),
    body: Type.Object(
      { result: Type.Enum([...RESULTS], { form: `one of ${RESULTS.join(', ')}` }) },
      { additionalProperties: false },
    ),
    response: Type.Object({ reference: Type.String(), operator_result: Type.String() }),
    handle: async ({ params: { reference }, body: { result } }, { signer }) => {
      await advance(deps, signer, { reference, result });
      return { reference, operator_result: result };
    },
  });
}
