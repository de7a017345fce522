import type { KeyObject } from 'node:crypto';
import type { Static, TObject, TSchema } from 'typebox';
import type { Clock } from '../../platform/base/clock.ts';
import { parseDay } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { hmac } from '../../platform/base/mac.ts';
import type { BureauFinding, CreditOperation } from '../bureaus/bureau.ts';
import { startOfDay } from '../registry/day.ts';
import type { Enquiry, EnquiryService } from '../enquiries/service.ts';
import { DOCUMENT_FORMS, DOCUMENT_TYPES, normaliseDocument } from '../registry/documents.ts';
import type { IdentityDocument } from '../registry/documents.ts';
import type { ReportSector } from '../summary/sectors.ts';
import type { EnquiryPolicy, Vendor } from '../../parties/vendor.ts';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import { vid } from '../../parties/http/fields.ts';
import { StoredAnswer } from '../../platform/http/operation.ts';
import type { Operation, RefusalForm, Signature } from '../../platform/http/operation.ts';
import type { AnswerContext } from './answers.ts';
import { bureauCodeOf } from './bureau-codes.ts';
import {
  consentFields,
  contactFields,
  dateOfBirth,
  documentFields,
  optionalName,
  reportReason,
  requestReference,
} from './fields.ts';

export interface ScoringDeps extends Pick<Authenticators, 'byVendor'> {
  /** Undefined when the credit registry is not configured. */
  readonly enquiryService: EnquiryService | undefined;
  readonly clock: Clock;
  readonly timeZone: string;
}

/** Parameters of all three operations. */
export const enquiryFields = {
  vid,
  requestReference,
  reportReason,
  name1: optionalName,
  name2: optionalName,
  name3: optionalName,
  name4: optionalName,
  dateOfBirth,
  ...documentFields,
  ...contactFields,
  ...consentFields,
};
export type ScoringRequest = Static<TObject<typeof enquiryFields>> & {
  readonly reportSector?: string;
};

const NAME_FIELDS = ['name1', 'name2', 'name3', 'name4'] as const;
const FEWEST_NAMES = 2;

/**
 * Clients of these operations expect `status` and `text` at the top level, and the bureau's code.
 */
export const refusalForm: RefusalForm = {
  name: 'scoring',
  fieldsOf: (refusal) => ({
    status: 0,
    text: refusal.message,
    bureau_code: bureauCodeOf(refusal),
  }),
};

/** Properties that the three operations share. */
export function common({ byVendor }: ScoringDeps) {
  return {
    method: 'POST',
    signedBy: byVendor,
    tag: 'Scoring',
    refusalForm,
    refusals: {
      subject_not_found: {},
      reference_reused: {},
      subject_mismatch: {},
      subject_ambiguous: {},
      scoring_unavailable: {},
      bureau_unavailable: {},
      bureau_outcome_unknown: {},
      outcome_unknown: {},
    },
  } as const satisfies Partial<Operation<TObject, TSchema, Vendor>>;
}

/** Answers an enquiry. A repeat gets the first answer again, byte for byte. */
export async function enquire(
  deps: ScoringDeps,
  operation: CreditOperation,
  asked: {
    readonly request: ScoringRequest;
    readonly vendor: Vendor;
    readonly signature: Signature;
    readonly present: (finding: BureauFinding, context: AnswerContext) => object;
  },
): Promise<StoredAnswer> {
  const { request, vendor } = asked;
  if (deps.enquiryService === undefined) throw new Refusal('scoring_unavailable');
  const enquiry = enquiryOf(deps, operation, {
    request,
    vendor,
    keyId: keyIdOf(asked.signature.key),
  });
  const json = await deps.enquiryService.ask(enquiry, (finding, source) =>
    asked.present(finding, contextOf(deps, enquiry, source)),
  );
  return new StoredAnswer(json);
}

/** The enquiry in a request or in a row of a batch. Throws the refusal of an invalid one. */
export function enquiryOf(
  { clock, timeZone }: Pick<ScoringDeps, 'clock' | 'timeZone'>,
  operation: CreditOperation,
  {
    request,
    vendor,
    keyId,
  }: { readonly request: ScoringRequest; readonly vendor: Vendor; readonly keyId: string },
): Enquiry {
  const today = startOfDay(clock.now(), timeZone);
  return {
    vendor,
    operation,
    requestReference: request.requestReference,
    reportReason: Number(request.reportReason),
    reportSector: request.reportSector === undefined ? null : reportSectorOf(request.reportSector),
    documents: readDocuments(request),
    names: readNames(request, operation, vendor.enquiryPolicy),
    dateOfBirth: readDateOfBirth(request),
    content: request,
    keyId,
    ...readConsent(request, vendor.enquiryPolicy, today),
  };
}

function reportSectorOf(text: string): ReportSector {
  return text === '1' ? 1 : 2;
}

/** Collects the facts that the answer to an enquiry is built from. */
export function contextOf(
  { timeZone }: Pick<ScoringDeps, 'timeZone'>,
  enquiry: Enquiry,
  source: string,
): AnswerContext {
  const { vendor } = enquiry;
  return {
    requestReference: enquiry.requestReference,
    scope: { mySector: vendor.sector, reportSector: enquiry.reportSector ?? 2 },
    timeZone,
    source,
    policy: vendor.enquiryPolicy,
  };
}

function readDocuments(request: ScoringRequest): IdentityDocument[] {
  const documents = DOCUMENT_TYPES.flatMap((type) => {
    const given = request[type];
    if (given === undefined) return [];
    const number = normaliseDocument(type, given);
    if (number === undefined) {
      throw new Refusal('invalid_field', {
        field: type,
        text: `${type} must be ${DOCUMENT_FORMS[type]}`,
      });
    }
    return [{ type, number }];
  });
  if (documents.length === 0) {
    throw new Refusal('missing_field', {
      field: 'nationalID',
      text: `At least one document is required: ${DOCUMENT_TYPES.join(', ')}`,
    });
  }
  return documents;
}

/** The date alone; empty if it was not given. */
function readDateOfBirth({ dateOfBirth: given }: ScoringRequest): string {
  const day = (given ?? '').slice(0, 'YYYY-MM-DD'.length);
  if (day !== '' && parseDay(day) === undefined) {
    throw new Refusal('invalid_field', {
      field: 'dateOfBirth',
      text: 'dateOfBirth must be a valid date',
    });
  }
  return day;
}

/** The schema has checked the format. This checks that the day exists and is not in the future. */
function readConsent(
  { consentReference, consentDate }: ScoringRequest,
  policy: EnquiryPolicy,
  today: Date,
): { readonly consentReference: string | null; readonly consentDate: string | null } {
  if (policy === 'strict') {
    for (const [field, value] of Object.entries({ consentReference, consentDate })) {
      if ((value ?? '').trim() === '') {
        throw new Refusal('missing_field', {
          field,
          text: 'consentReference and consentDate are required',
        });
      }
    }
  }
  if (consentDate !== undefined) {
    const day = parseDay(consentDate);
    if (day === undefined) throw invalidConsentDate('must be a valid date');
    if (day > today) throw invalidConsentDate('must not be in the future');
    if (day < EARLIEST_CONSENT) throw invalidConsentDate('must not be before 2000-01-01');
  }
  return { consentReference: consentReference ?? null, consentDate: consentDate ?? null };
}

/** An earlier date is a mistake: no consent to a credit enquiry is that old. */
const EARLIEST_CONSENT = new Date('2000-01-01T00:00:00Z');

function invalidConsentDate(how: string): Refusal {
  return new Refusal('invalid_field', { field: 'consentDate', text: `consentDate ${how}` });
}

function readNames(
  request: ScoringRequest,
  operation: CreditOperation,
  policy: EnquiryPolicy,
): string[] {
  const names = NAME_FIELDS.flatMap((field) => request[field] ?? []);
  const required = operation !== 'id-decision' || policy === 'strict';
  if (required && names.length < FEWEST_NAMES) {
    const missing = NAME_FIELDS.find((field) => request[field] === undefined);
    throw new Refusal('missing_field', {
      field: missing ?? 'name1',
      text: 'At least two names are required',
    });
  }
  return names;
}

/** Identifies a vendor's key in records without revealing anything about it. */
export function keyIdOf(key: KeyObject | undefined): string {
  if (key === undefined) return '';
  return hmac(key, 'malipo key id', 'hex').slice(0, 16);
}
