import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { parseSenderTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { CURRENCY, moneyNumber, parseMoney } from '../../platform/base/money.ts';
import { collect } from '../collections/collect.ts';
import type { Movement } from '../collections/collect.ts';
import { fund } from '../collections/fund.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { BalanceReader } from '../ledger/balance-reader.ts';
import type { VendorDirectory } from '../../parties/directory.ts';
import { isInScope } from '../../parties/vendor.ts';
import type { Collector, Vendor } from '../../parties/vendor.ts';
import { collector, vid } from '../../parties/http/fields.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus, movementSchema } from '../../platform/http/schemas.ts';
import { amount, collectionTime, currency, fundTime, merchantReference } from './fields.ts';

interface FundingDeps extends Authenticators {
  readonly pool: Pool;
  readonly wireTime: WireTime;
  readonly clock: Clock;
}

function movementOnWire(movement: Movement, moved: string, wireTime: WireTime) {
  const nothing = movement.reference === null;
  return {
    header_status: 200,
    msg: {
      status: nothing ? 0 : 1,
      text: nothing ? 'nothing to move' : moved,
      amount: moneyNumber(movement.amountCents),
      reference: movement.reference ?? '',
      posted_time: wireTime.format(movement.postedAt),
    },
  };
}

function requireKes(text: string): void {
  if (text !== CURRENCY) throw new Refusal('unsupported_currency', { field: 'currency' });
}

const fundRequest = Type.Object({ vid, time: fundTime, currency });

/** Specification §4.1. */
export function fundBillingAccount(
  deps: FundingDeps & { readonly windowSeconds: number },
  path: string,
): Operation<typeof fundRequest, typeof movementSchema, Vendor> {
  return {
    name: 'fund',
    method: 'POST',
    path,
    summary: 'Fund the billing account',
    description:
      'Moves all collected income into the float, usable at once, whatever `time` says. With nothing to move, a `time` whose request moved money gets the first such answer again; otherwise `msg.status` is 0 and `amount` 0.',
    signedBy: deps.byVendor,
    request: fundRequest,
    response: movementSchema,
    handle: async (request, vendor) => {
      requireKes(request.currency);
      const requestedAt = parseSenderTime(request.time, deps.wireTime);
      if (requestedAt === undefined) {
        throw new Refusal('invalid_field', { field: 'time', text: 'time is not a valid time' });
      }
      const awaySeconds = Math.abs(requestedAt.getTime() - deps.clock.now().getTime()) / 1000;
      if (deps.windowSeconds > 0 && awaySeconds > deps.windowSeconds) {
        throw new Refusal('stale_time', { field: 'time' });
      }
      const movement = await fund(deps.pool, { vendorId: vendor.vendorId, requestedAt });
      return movementOnWire(movement, 'amount moved', deps.wireTime);
    },
  };
}

const collectRequest = Type.Object({
  collector,
  vid,
  reference: merchantReference,
  amount,
  currency,
  paid_at: collectionTime,
});

/** Collected income comes in (design §3), signed by the collector. */
export function reportCollection(
  deps: FundingDeps & { readonly directory: VendorDirectory; readonly ledgerMac: Mac },
  path: string,
): Operation<typeof collectRequest, typeof movementSchema, Collector> {
  return {
    name: 'collect',
    method: 'POST',
    path,
    summary: 'Report collected income',
    description:
      'A collector reports money collected for a vendor. Once per (collector, reference): a repeat with the same content answers the first movement again.',
    signedBy: deps.byCollector,
    request: collectRequest,
    response: movementSchema,
    handle: async (request, signer) => {
      requireKes(request.currency);
      // One answer for a vendor out of scope and for an unknown one: a collector cannot probe for vendors.
      if (!isInScope(signer.scope, request.vid)) {
        throw new Refusal('collector_not_allowed', { field: 'vid' });
      }
      const vendor = deps.directory.vendor(request.vid);
      if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
      const amountCents = parseMoney(request.amount);
      if (amountCents === 0n) {
        throw new Refusal('invalid_field', {
          field: 'amount',
          text: 'amount must be greater than 0',
        });
      }
      const paidAt = parseSenderTime(request.paid_at, deps.wireTime);
      if (paidAt === undefined) {
        throw new Refusal('invalid_field', {
          field: 'paid_at',
          text: 'paid_at is not a valid time',
        });
      }
      const movement = await collect(deps, {
        collector: signer.collector,
        reference: request.reference,
        vendorId: vendor.vendorId,
        amountCents,
        paidAt,
      });
      return movementOnWire(movement, 'amount collected', deps.wireTime);
    },
  };
}

const balanceRequest = Type.Object({ vid });
const balanceResponse = Type.Object({
  header_status: headerStatus,
  balance: Type.Number({ description: 'The available float, in KES.', examples: [99900] }),
});

/** Specification §4.8. */
export function accountBalance(
  deps: Pick<Authenticators, 'byVendor'> & { readonly balances: BalanceReader },
  path: string,
): Operation<typeof balanceRequest, typeof balanceResponse, Vendor> {
  return {
    name: 'balance',
    method: 'GET',
    path,
    summary: 'Account balance',
    description: 'The float: what is available for creates now.',
    signedBy: deps.byVendor,
    request: balanceRequest,
    response: balanceResponse,
    handle: async (_request, vendor) => ({
      header_status: 200,
      balance: moneyNumber(await deps.balances.float(vendor.vendorId)),
    }),
  };
}
