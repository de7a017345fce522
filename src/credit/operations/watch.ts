import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { parameter } from '../../platform/http/parameter.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import { endWatch, findAnsweredSubject, putWatch } from '../watches/store.ts';
import { refusalForm } from './enquiry.ts';
import { requestReference } from './fields.ts';

export interface WatchDeps extends Pick<Authenticators, 'byVendor'> {
  readonly pool: Pool;
  readonly clock: Clock;
}

const msg = Type.Object({
  status: Type.Integer({ examples: [1] }),
  text: Type.String({ examples: ['Customer is watched'] }),
  requestReference: Type.String({ description: 'The reference of the enquiry, as you sent it.' }),
});
const response = Type.Object({ header_status: headerStatus, msg });

const request = Type.Object({
  vid,
  requestReference,
  // Required, so that a signed request to end a watch cannot be used to start it again.
  scoreDrop: parameter(
    /^[1-9]\d{0,2}$/,
    'a whole number from 1 to 999',
    'The number of points by which the generic score must fall to be reported.',
    { examples: ['30'] },
  ),
});

/** Starts watching the customer of an answered enquiry. */
export function watchCustomer(deps: WatchDeps): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'watchCustomer',
    method: 'POST',
    path: '/watch',
    tag: 'Scoring',
    summary: 'Watch a customer',
    description:
      'Reports to your webhook when the customer of one of your answered enquiries has a new account in default (`credit.default`), applies for credit elsewhere (`credit.enquiry`), or has a generic score that falls by `scoreDrop` points or more (`credit.score_drop`). `requestReference` is that of the enquiry, and names the watch in events. What is known when a watch starts is not reported. Needs the customer’s consent to monitoring.',
    signedBy: deps.byVendor,
    request,
    response,
    refusalForm,
    refusals: { unknown_reference: { field: 'requestReference' }, outcome_unknown: {} },
    example: {
      request: { vid: 'demo', requestReference: 'ENQ20261121B', scoreDrop: '30' },
      answer: answerOf('Customer is watched', 'ENQ20261121B'),
    },
    handle: async (asked, { vendorId }) => {
      const { requestReference: reference, scoreDrop } = asked;
      const crn = await findAnsweredSubject(deps.pool, { vendorId, requestReference: reference });
      if (crn === undefined) {
        throw unknownReference('Send the one of an enquiry that found the customer');
      }
      const watch = {
        vendorId,
        requestReference: reference,
        crn,
        scoreDrop: Number(scoreDrop),
        at: deps.clock.now(),
      };
      await databaseTransaction(deps.pool, async (client) => await putWatch(client, watch));
      return answerOf('Customer is watched', reference);
    },
  };
}

const endRequest = Type.Object({ vid, requestReference });

/** Ends a watch. */
export function unwatchCustomer(
  deps: WatchDeps,
): Operation<typeof endRequest, typeof response, Vendor> {
  return {
    name: 'unwatchCustomer',
    method: 'POST',
    path: '/unwatch',
    tag: 'Scoring',
    summary: 'Stop watching a customer',
    description: 'Ends a watch: nothing more is reported about the customer. Can be repeated.',
    signedBy: deps.byVendor,
    request: endRequest,
    response,
    refusalForm,
    refusals: { unknown_reference: { field: 'requestReference' }, outcome_unknown: {} },
    example: {
      request: { vid: 'demo', requestReference: 'ENQ20261121B' },
      answer: answerOf('Customer is no longer watched', 'ENQ20261121B'),
    },
    handle: async ({ requestReference: reference }, { vendorId }) => {
      const watch = { vendorId, requestReference: reference, at: deps.clock.now() };
      const isKnown = await databaseTransaction(
        deps.pool,
        async (client) => await endWatch(client, watch),
      );
      if (!isKnown) throw unknownReference('Send the one with which the watch was set');
      return answerOf('Customer is no longer watched', reference);
    },
  };
}

function unknownReference(advice: string): Refusal {
  return new Refusal('unknown_reference', {
    field: 'requestReference',
    text: `This requestReference is unknown. ${advice}`,
  });
}

function answerOf(text: string, reference: string) {
  return { header_status: 200, msg: { status: 1, text, requestReference: reference } };
}
