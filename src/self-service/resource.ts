import type { TObject, TSchema } from 'typebox';
import type { Vendor } from '../parties/vendor.ts';
import type { BillerCatalogue } from '../payments/billers/catalogue.ts';
import type { ConnectorOf } from '../payments/operations/validators.ts';
import type { Clock, WireTime } from '../platform/base/clock.ts';
import { vendorReaderName } from '../platform/base/long-reads.ts';
import type { LongReader, LongReads } from '../platform/base/long-reads.ts';
import type { ReadingNames } from '../platform/base/reading-names.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Pool } from '../platform/db/pool.ts';
import type { Authenticator } from '../platform/http/authenticator.ts';
import type { AnyResource, Resource, ResourceContext } from '../platform/http/resource.ts';
import type { Refusals } from '../platform/http/refusals.ts';
import { RESOURCE_REFUSALS_FORM } from '../platform/http/resource-refusals.ts';
import type { Cursors } from '../platform/http/cursors.ts';

export interface SelfServiceOptions {
  /** Shared with the console. */
  readonly reading?: ReadingNames | undefined;
  /** Takes signatures by header only. */
  readonly byHeader: Authenticator<Vendor>;
  /** A pool of its own, so that these requests and creates never wait for each other. */
  readonly selfServicePool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly masterKeys: MasterKeys;
  readonly catalogue: Pick<BillerCatalogue, 'billers' | 'biller'>;
  readonly connectorOf: ConnectorOf;
  /** Ends requests that wait. */
  readonly stopping: AbortSignal;
  /** The name of the operation at a route, as the request log has it; undefined: none of the contract. */
  readonly operationAt: (method: string, route: string) => string | undefined;
}

export interface SelfServiceDeps extends Omit<SelfServiceOptions, 'selfServicePool'> {
  readonly pool: Pool;
  readonly cursors: Cursors;
  /** Runs everything whose cost grows with the vendor's data: lists, statements, files, replays. */
  readonly longReads: LongReads;
}

/** All programs of a vendor take turns as one. */
export function readerOf({ signer, isClosed }: ResourceContext<Vendor>): LongReader {
  return { name: vendorReaderName(signer.vid), isClosed };
}

type Declared<
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Response extends TSchema,
> = Omit<Resource<Params, Query, Body, Response, Vendor>, 'tag' | 'signedBy' | 'refusalForm'>;

/** One operation of the self-service API. */
export function resource<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Response extends TSchema = TSchema,
>(
  { byHeader }: Pick<SelfServiceDeps, 'byHeader'>,
  declared: Declared<Params, Query, Body, Response>,
): AnyResource {
  // Only a change can have been made although its answer was lost.
  const lost: Refusals = declared.method === 'GET' ? {} : { outcome_unknown: {} };
  return {
    ...declared,
    refusals: { ...declared.refusals, ...lost },
    tag: 'Self-service',
    signedBy: byHeader,
    refusalForm: RESOURCE_REFUSALS_FORM,
  };
}
