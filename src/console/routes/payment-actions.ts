import { Type } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import { replayEvents } from '../../payments/events/administer.ts';
import type { Payments } from '../../payments/payments.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { decodeReference } from '../../parties/reference.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { onlyReason } from './reason.ts';

const params = Type.Object({ reference: Type.String({ maxLength: 64 }) });

/** The service queries operators as well, so more queries would not help. */
const VERIFY_LIMIT = {
  perTarget: {
    count: 1,
    seconds: LIMITS.operatorQuestionSeconds,
    text: 'The operator was asked about this payment a moment ago.',
  },
  perPerson: {
    count: 20,
    seconds: 600,
    text: 'You have asked operators 20 times in ten minutes, which is the limit.',
  },
} as const;

export interface PaymentActionOptions {
  readonly pool: Pool;
  readonly directory: Pick<VendorDirectory, 'vendorById'>;
  readonly verifyNow: Payments['verifyNow'];
}

/** What people do about one payment. */
export function paymentActionRoutes(options: PaymentActionOptions): AnyRoute[] {
  return [verifyRoute(options), resendRoute(options)];
}

function verifyRoute({ verifyNow }: PaymentActionOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/payments/:reference/verify',
    permission: 'payments.act',
    action: 'payment.verify',
    limit: VERIFY_LIMIT,
    // In capital letters only, because the limit counts by the text of the path.
    params: Type.Object({ reference: Type.String({ pattern: '^[0-9A-Z]{1,64}$' }) }),
    body: onlyReason,
    handle: async (input, { viewer }) => {
      await verifyNow(keyOf(input.params.reference, viewer));
    },
  });
}

function resendRoute({ pool, directory }: PaymentActionOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/payments/:reference/resend',
    permission: 'payments.act',
    action: 'payment.resend',
    params,
    body: onlyReason,
    handle: async (input, { viewer }) => {
      const { vendorId, paymentId } = keyOf(input.params.reference, viewer);
      const vendor = directory.vendorById(vendorId);
      if (vendor === undefined) throw new Refusal('not_found');
      const all = { since: undefined, until: undefined, state: undefined };
      const events = await replayEvents(pool, vendor, { paymentId, ...all });
      if (events > 0) return new Audited(undefined, { after: { events } });
      throw new PlainError('The payment has no event that could be sent again.');
    },
  });
}

/** Throws: `not_found` if it is no reference, or another vendor's. */
function keyOf(reference: string, { vendor }: Viewer) {
  const key = decodeReference(reference.toUpperCase());
  const isOwn = vendor === undefined || vendor.vendorId === key?.vendorId;
  if (key === undefined || !isOwn) throw new Refusal('not_found');
  return key;
}
