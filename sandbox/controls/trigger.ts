import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { pino } from 'pino';
import type { Vendor } from '../../src/parties/vendor.ts';
import { proposeResolution } from '../../src/payments/corrections/case-resolution.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import type { Outcome } from '../../src/payments/create/payment.ts';
import { readPayment } from '../../src/payments/create/store.ts';
import { sendTestEvent } from '../../src/payments/events/test-event.ts';
import { setVendorFloat } from '../../src/payments/vendor-floats/administer.ts';
import { readVendorFloats } from '../../src/payments/vendor-floats/read-floats.ts';
import { watchVendorFloats } from '../../src/payments/vendor-floats/watch.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { nullable } from '../../src/platform/http/schemas.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import { OUTCOMES } from '../operators/behaviour.ts';
import { approveSeen, named } from '../two-people.ts';
import { control } from './control.ts';
import type { ControlDeps } from './control.ts';
import { triggerCreditEvent } from './credit-events.ts';
import type { CreditEventType } from './credit-events.ts';
import { refill } from './floats.ts';
import { advance } from './outcomes.ts';
import type { Result } from './outcomes.ts';
import { recordEvents } from './recording.ts';

/** Two people, as every correction needs. */
const FIRST = 'Sandbox, first person';
const SECOND = 'Sandbox, second person';

const BILLER = 'safaricom';
const AMOUNT_CENTS = 10_00n;
const REFILL_CENTS = 1_000_00n;
const LOOK_EVERY_MS = 50;
/** Longer than any payment of these accounts takes. */
const MAX_MS = 15_000;

type Triggered = (
  deps: ControlDeps,
  vendor: Vendor,
  about: string | null,
) => Promise<string | null>;

/** Every type of event, and how a real one comes about. Each returns the reference it is about. */
const TRIGGERS = {
  'transaction.succeeded': async (deps, vendor, about) => await settle(deps, vendor, 'paid', about),
  'transaction.failed': async (deps, vendor, about) =>
    await settle(deps, vendor, 'declined', about),
  'transaction.corrected': async (deps, vendor, about) => {
    const reference = about ?? (await settle(deps, vendor, 'paid', null));
    await correct(deps, vendor, reference);
    return reference;
  },
  'float.low': async (deps, { vendorId }) => {
    if ((await floatOf(deps, vendorId)).state === 'low') await crossFloat(deps, vendorId, 'enough');
    await crossFloat(deps, vendorId, 'low');
    return null;
  },
  'float.recovered': async (deps, { vendorId }) => {
    if ((await floatOf(deps, vendorId)).state !== 'low') await crossFloat(deps, vendorId, 'low');
    await crossFloat(deps, vendorId, 'enough');
    return null;
  },
  'credit.default': async (deps, vendor) => await aboutCustomer(deps, vendor, 'credit.default'),
  'credit.enquiry': async (deps, vendor) => await aboutCustomer(deps, vendor, 'credit.enquiry'),
  'credit.score_drop': async (deps, vendor) =>
    await aboutCustomer(deps, vendor, 'credit.score_drop'),
  'webhook.test': async ({ service: { pool }, masterKeys }, vendor) => {
    await sendTestEvent(pool, vendor, masterKeys);
    return null;
  },
} as const satisfies Readonly<Record<string, Triggered>>;
type TriggeredType = keyof typeof TRIGGERS;
const TYPES = Object.keys(TRIGGERS) as TriggeredType[];

export function triggerEvent(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxTriggerEvent',
    method: 'POST',
    path: '/events/trigger',
    body: Type.Object(
      {
        type: Type.Enum(TYPES, { form: `one of ${TYPES.join(', ')}` }),
        reference: Type.Optional(Type.String({ maxLength: 64 })),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ type: Type.String(), reference: nullable(Type.String()) }),
    handle: async ({ body: { type, reference } }, { signer }) => {
      if (reference !== undefined && !type.startsWith('transaction.')) {
        const text = `reference is a payment; ${type} is not about one`;
        throw new Refusal('invalid_field', { field: 'reference', text });
      }
      if (type !== 'webhook.test') await recordEvents(deps, signer.vendorId);
      return { type, reference: await TRIGGERS[type](deps, signer, reference ?? null) };
    },
  });
}

/** An event about somebody of the credit registry, whom the vendor watches until then. */
async function aboutCustomer(
  { credit }: ControlDeps,
  vendor: Vendor,
  type: CreditEventType,
): Promise<string> {
  if (credit !== undefined) return await triggerCreditEvent(credit, vendor, type);
  const text = 'This sandbox has no credit registry';
  throw new Refusal('scoring_unavailable', { text });
}

/** Ends an open payment, or makes one that ends so. Returns its reference. */
async function settle(
  deps: ControlDeps,
  vendor: Vendor,
  result: Result,
  about: string | null,
): Promise<string> {
  if (about !== null) await advance(deps, vendor, { reference: about, result });
  const reference = about ?? (await pay(deps, vendor, result));
  const wanted: Outcome = result === 'paid' ? 'success' : 'failed';
  const outcome = await endOf(deps, reference);
  if (outcome === wanted) return reference;
  const text = `The payment ended otherwise: ${outcome ?? 'it is still open'}`;
  throw new Refusal('changed_meanwhile', { text, reference });
}

async function pay(deps: ControlDeps, vendor: Vendor, result: Result): Promise<string> {
  const { create } = deps.service;
  const request = {
    billerCode: BILLER,
    // Another account each time, so that no check for duplicates refuses it.
    account: `25472${String(randomInt(1_000)).padStart(3, '0')}${OUTCOMES[result]}`,
    phone: null,
    amountCents: AMOUNT_CENTS,
    merchantReference: `trigger-${randomUUID()}`,
  };
  try {
    return (await create(request, vendor)).reference;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'insufficient_float') throw error;
    await refill(deps, vendor.vendorId, REFILL_CENTS);
    return (await create(request, vendor)).reference;
  }
}

async function endOf({ service: { pool } }: ControlDeps, reference: string) {
  const { vendorId, paymentId } = locate(reference);
  const giveUpMs = performance.now() + MAX_MS;
  for (;;) {
    const outcome = (await readPayment(pool, vendorId, paymentId))?.outcome ?? null;
    if (outcome !== null || performance.now() > giveUpMs) return outcome;
    await delay(LOOK_EVERY_MS);
  }
}

function locate(reference: string) {
  const location = decodeReference(reference);
  if (location === undefined) throw new Refusal('not_found', { text: 'There is no such payment' });
  return location;
}

/** The operator returns what it has paid, and two people correct the ledger. */
async function correct(deps: ControlDeps, vendor: Vendor, reference: string): Promise<void> {
  const { pool } = deps.service;
  const location = locate(reference);
  const payment =
    location.vendorId === vendor.vendorId
      ? await readPayment(pool, vendor.vendorId, location.paymentId)
      : undefined;
  if (payment === undefined) throw new Refusal('not_found', { text: 'There is no such payment' });
  if (payment.outcome !== 'success' || !(await deps.operators.ask('reverse', { reference }))) {
    const text = 'Only a payment that is paid can be corrected here';
    throw new Refusal('changed_meanwhile', { text });
  }
  const note = 'Triggered: the operator returned the payment';
  const { caseId } = await openCaseByHand(pool, { ...location, by: FIRST, note });
  const empty = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution: 'return_to_vendor', note, ...empty };
  const { ledgerMac } = deps;
  const proposals = createProposals({
    pool,
    ledgerMac,
    wireTime: createWireTime('Africa/Nairobi'),
  });
  const by = named(FIRST);
  const proposed = await proposeResolution({ pool, proposals }, { caseId, by, proposal });
  await approveSeen(proposals, proposed, SECOND);
}

async function floatOf({ service: { pool } }: ControlDeps, vendorId: number) {
  const float = (await readVendorFloats(pool, [vendorId], new Date())).get(vendorId);
  if (float === undefined) throw new Error('every vendor asked for is in it');
  return float;
}

/** Moves the vendor's limit to the other side of its float. The limit stays there. */
async function crossFloat(
  deps: ControlDeps,
  vendorId: number,
  state: 'low' | 'enough',
): Promise<void> {
  const { pool } = deps.service;
  if (state === 'enough' && (await floatOf(deps, vendorId)).floatCents < 2n) {
    await refill(deps, vendorId, REFILL_CENTS);
  }
  const { floatCents } = await floatOf(deps, vendorId);
  const lowCents = state === 'low' ? floatCents + 1_00n : floatCents / 2n;
  await setVendorFloat(pool, { vendorId, lowCents, by: FIRST });
  const giveUpMs = performance.now() + MAX_MS;
  // The service's own watch may be looking at the same time; one of the two announces it.
  while ((await floatOf(deps, vendorId)).state !== state) {
    if (performance.now() > giveUpMs) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    await watchVendorFloats({ pool, log: SILENT });
    await delay(LOOK_EVERY_MS);
  }
}

const SILENT = pino({ level: 'silent' });
