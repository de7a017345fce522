import { Type } from 'typebox';
import type { Static } from 'typebox';
import { FAILURE_CODES } from '../payments/create/failure-code.ts';
import { findLost } from '../payments/quarantine/read-lost.ts';
import type { LostPaymentRow } from '../payments/quarantine/read-lost.ts';
import { refuseUnknown } from '../payments/quarantine/unknown.ts';
import type { TimelineEntry } from '../payments/timeline/assemble.ts';
import { findPayment } from '../payments/timeline/find.ts';
import { forVendor } from '../payments/timeline/for-vendor.ts';
import { Refusal } from '../platform/base/errors.ts';
import { decodeReference } from '../parties/reference.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { nullable } from '../platform/http/schemas.ts';
import {
  EXAMPLE_PAYMENT,
  lostView,
  paymentFields,
  paymentView,
  resultView,
} from './payment-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { cents, instant } from './schemas.ts';

const entry = Type.Object({
  at: instant('When it happened.'),
  kind: Type.String({
    description:
      '`created`; `attempt`: an instruction to the operator; `settled`: the result was recorded; `transfer`: money moved in the books; `event`: a webhook was announced. More may be added.',
    examples: ['created'],
  }),
  status: nullable(Type.String({ description: 'For `settled`: the result.' })),
  outcome: nullable(
    Type.String({
      description: 'For `attempt`: `paid`, `declined` or `not_sent`; null: not known.',
    }),
  ),
  attempt: nullable(Type.Integer({ description: 'For `attempt`: its number, from 1.' })),
  movement: nullable(Type.String({ description: 'For `transfer`: the kind of movement.' })),
  amount_cents: nullable(cents('For `transfer`: the amount.')),
  event_id: nullable(Type.String({ description: 'For `event`: its id.' })),
  event_type: nullable(Type.String({ description: 'For `event`: its type.' })),
});

const response = Type.Object({
  ...paymentFields,
  biller_reference: nullable(Type.String({ description: 'The operator’s own reference.' })),
  biller_response_time: nullable(
    instant('When the instruction that led to the result was sent; null while it is not known.'),
  ),
  message: nullable(Type.String({ description: 'The operator’s message for people.' })),
  failure_code: nullable(
    Type.String({
      description: `Why it failed: one of ${FAILURE_CODES.map((code) => `\`${code}\``).join(', ')}. Treat any other as \`other\`.`,
    }),
  ),
  details: nullable(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      description: 'Fields of the result, such as `token` and `units`.',
      additionalProperties: { type: 'string' },
    }),
  ),
  archived: Type.Boolean({
    description: 'True: the details, such as `phone` and `message`, are only in an archive.',
  }),
  timeline: Type.Array(entry, { description: 'What happened to the payment, in order.' }),
});

type Entry = Static<typeof entry>;

const EMPTY = {
  status: null,
  outcome: null,
  attempt: null,
  movement: null,
  amount_cents: null,
  event_id: null,
  event_type: null,
};

export function getPayment(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'getPayment',
    method: 'GET',
    path: '/payments/:reference',
    summary: 'One payment',
    description: 'A payment with its result and its timeline.',
    params: Type.Object({
      reference: Type.String({
        description: 'Our reference: the `ipay_reference` that create returned.',
      }),
    }),
    response,
    refusals: { not_found: {}, quarantine: { field: 'reference' } },
    example: {
      params: { reference: EXAMPLE_PAYMENT.reference },
      answer: {
        ...EXAMPLE_PAYMENT,
        biller_reference: 'OP151DB25E3B85FA91',
        biller_response_time: '2026-11-21T06:15:00.512Z',
        message: 'Payment received',
        failure_code: null,
        details: { token: '96943714845508985567', units: '4.00' },
        archived: false,
        timeline: [{ ...EMPTY, at: EXAMPLE_PAYMENT.created_at, kind: 'created' }],
      },
    },
    handle: async ({ params: { reference } }, { signer }) => {
      const isOwn = decodeReference(reference.toUpperCase())?.vendorId === signer.vendorId;
      const found = isOwn ? await findPayment(deps.pool, reference) : undefined;
      if (found === undefined) {
        const location = isOwn ? decodeReference(reference.toUpperCase()) : undefined;
        const lost = location && (await findLost(deps.pool, location));
        if (lost !== undefined) return lostDetails(lost);
        throw await refuseUnknown(deps.pool, new Refusal('not_found', { field: 'reference' }));
      }
      return {
        ...paymentView(found.payment),
        ...resultView(found),
        timeline: forVendor(found.timeline).map(entryView),
      };
    },
  });
}

function lostDetails(lost: LostPaymentRow): Static<typeof response> {
  return {
    ...lostView(lost),
    ...{ biller_reference: null, biller_response_time: null, message: null, failure_code: null },
    ...{ details: null, archived: false, timeline: [] },
  };
}

function entryView(recorded: TimelineEntry): Entry {
  return { ...EMPTY, at: recorded.at.toISOString(), kind: recorded.kind, ...ownOf(recorded) };
}

function ownOf(recorded: TimelineEntry): Partial<Entry> {
  switch (recorded.kind) {
    case 'attempt':
      return { attempt: recorded.attemptNumber, outcome: recorded.outcome };
    case 'settled':
      return { status: recorded.status };
    case 'transfer':
      return { movement: recorded.movement, amount_cents: String(recorded.amountCents) };
    case 'event':
      return { event_id: recorded.eventId, event_type: recorded.type };
    default:
      return {};
  }
}
