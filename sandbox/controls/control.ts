import type { TObject } from 'typebox';
import type { ReportOptions } from '../../src/credit/reports/subject-report.ts';
import type { Vendor } from '../../src/parties/vendor.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import type { Authenticator } from '../../src/platform/http/authenticator.ts';
import type { AnyResource, Resource } from '../../src/platform/http/resource.ts';
import { RESOURCE_REFUSALS_FORM } from '../../src/platform/http/resource-refusals.ts';
import type { Service } from '../../src/service.ts';
import type { OperatorsProcess } from '../operators-process.ts';
import type { Faults } from './faults.ts';

export interface ControlDeps {
  readonly byHeader: Authenticator<Vendor>;
  readonly service: Pick<Service, 'pool' | 'catalogue' | 'create'>;
  readonly operators: Pick<OperatorsProcess, 'ask'>;
  readonly masterKeys: MasterKeys;
  readonly ledgerMac: Mac;
  readonly faults: Faults;
  /** Undefined: without the credit registry. */
  readonly credit: ReportOptions | undefined;
}

type Declared<Params extends TObject, Body extends TObject, Response extends TObject> = Pick<
  Resource<Params, TObject, Body, Response, Vendor>,
  'name' | 'method' | 'path' | 'params' | 'body' | 'response' | 'handle'
>;

/** One control. It is read, signed and refused as the self-service API is, but is in no contract. */
export function control<
  Params extends TObject = TObject,
  Body extends TObject = TObject,
  Response extends TObject = TObject,
>(
  { byHeader }: Pick<ControlDeps, 'byHeader'>,
  declared: Declared<Params, Body, Response>,
): AnyResource {
  return {
    ...declared,
    tag: 'Sandbox',
    summary: '',
    description: '',
    signedBy: byHeader,
    refusals: {},
    refusalForm: RESOURCE_REFUSALS_FORM,
    example: { answer: '' },
  };
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
/** Characters of a reference that hold the vendor's id and the first bits of the time, which are 0. */
const VENDOR_CHARACTERS = 7;

/** The beginning that the references of all payments of a vendor share, and those of no other one. */
export function referencesOf({ vendorId }: Pick<Vendor, 'vendorId'>): string {
  return encodeReference(vendorId, NO_ID).slice(0, VENDOR_CHARACTERS);
}
