import { ERRORS, Refusal } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import { refusalBody } from './errors.ts';
import { bureauCodeOf } from '../../credit/operations/bureau-codes.ts';

/** What any operation may be refused with. */
export const COMMON_REFUSALS: readonly ErrorCode[] = [
  'malformed_request',
  'ambiguous_request',
  'nested_value',
  'unknown_field',
  'ambiguous_value',
  'missing_field',
  'invalid_field',
  'unknown_path',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'internal_error',
  'overloaded',
  'unavailable',
];

const SIGNED: readonly ErrorCode[] = [
  'signature_invalid',
  'signature_v2_required',
  'signature_expired',
  'signature_replayed',
  'vendor_suspended',
];

const SCORING: readonly ErrorCode[] = [
  ...SIGNED,
  'subject_not_found',
  'reference_reused',
  'subject_mismatch',
  'subject_ambiguous',
  'scoring_unavailable',
  'bureau_unavailable',
  'bureau_outcome_unknown',
];

/** By operationId, what else. A test holds that every code of the registry may occur somewhere. */
export const OWN_REFUSALS: Readonly<Record<string, readonly ErrorCode[]>> = {
  fund: [...SIGNED, 'unsupported_currency', 'stale_time', 'outcome_unknown'],
  collect: [
    ...SIGNED,
    'unsupported_currency',
    'unknown_vendor',
    'collector_not_allowed',
    'reference_reused',
    'outcome_unknown',
  ],
  billerStatus: ['unknown_biller'],
  createTransaction: [
    ...SIGNED,
    'unknown_biller',
    'amount_below_minimum',
    'amount_above_maximum',
    'insufficient_float',
    'reference_reused',
    'likely_duplicate',
    'biller_offline',
    'outcome_unknown',
  ],
  bulkCreate: [...SIGNED, 'file_mismatch', 'invalid_file', 'reference_reused', 'overloaded'],
  bulkStatus: [...SIGNED, 'unknown_batch'],
  bulkResult: [...SIGNED, 'unknown_batch'],
  transactionStatus: [...SIGNED, 'unknown_reference', 'quarantine'],
  validateAccount: [
    ...SIGNED,
    'unknown_biller',
    'validation_unavailable',
    'operator_unavailable',
    'overloaded',
  ],
  phoneLookup: [...SIGNED, 'unknown_prefix'],
  balance: SIGNED,
  idDecision: SCORING,
  genericScore: SCORING,
  mobileLoanScore: SCORING,
};

// What `field` names in the example of a code, where it names something.
const EXAMPLE_FIELDS: Partial<Record<ErrorCode, string>> = {
  signature_invalid: 'hash',
  signature_v2_required: 'X-Signature',
  signature_expired: 'X-Signature',
  signature_replayed: 'X-Signature',
  vendor_suspended: 'vid',
  missing_field: 'account',
  unsupported_currency: 'currency',
  stale_time: 'time',
  unknown_vendor: 'vid',
  amount_below_minimum: 'amount',
  amount_above_maximum: 'amount',
  insufficient_float: 'amount',
  unknown_reference: 'reference',
  unknown_prefix: 'prefix',
};

// What `reference` names in the example of a code that always has one.
const EXAMPLE_REFERENCES: Partial<Record<ErrorCode, string>> = {
  likely_duplicate: '00000081M7Y4NP8KEYWR8EDAAS5ZSBQV',
};

interface ResponseObject {
  readonly description: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** What refusals of an operation have besides. */
interface RefusalForm {
  /** `status` and `text` at top level too. */
  readonly atTopLevel: boolean;
  /** `bureau_code`, of scoring operations. */
  readonly hasBureauCode: boolean;
}

const PLAIN: RefusalForm = { atTopLevel: false, hasBureauCode: false };

/**
 * `{status: response}` of the refusals of one operation. The responses themselves go into
 * `components`, by name, as most operations share them.
 */
export function refusalResponses(
  operationId: string,
  form: RefusalForm,
  components: Map<string, unknown>,
): Record<string, unknown> {
  const byStatus = new Map<string, ErrorCode[]>();
  for (const code of OWN_REFUSALS[operationId] ?? []) {
    const status = String(ERRORS[code].status);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => {
    const name = componentName(codes, form);
    components.set(name, refusalResponse(codes, form));
    return [status, { $ref: `#/components/responses/${name}` }] as const;
  });
  return {
    ...Object.fromEntries(responses),
    default: { $ref: '#/components/responses/Refusal' },
  };
}

function componentName(codes: readonly ErrorCode[], form: RefusalForm): string {
  const words = codes.map((code) => code.replaceAll('_', '-')).join('.');
  if (form.hasBureauCode) return `scoring.${words}`;
  return form.atTopLevel ? `validate.${words}` : words;
}

/** One response for all the codes, with an example of each. */
export function refusalResponse(codes: readonly ErrorCode[], form = PLAIN): ResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Refusal' },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { summary: ERRORS[code].text, value: exampleBody(code, form) },
          ]),
        ),
      },
    },
  };
}

function exampleBody(code: ErrorCode, form: RefusalForm) {
  const field = EXAMPLE_FIELDS[code];
  const reference = EXAMPLE_REFERENCES[code];
  const refusal = new Refusal(code, {
    ...(field === undefined ? {} : { field }),
    ...(reference === undefined ? {} : { reference }),
  });
  return refusalBody(refusal, {
    requestId: '7477dc19-0156-4574-8899-9abe564c620f',
    atTopLevel: form.atTopLevel,
    bureauCode: form.hasBureauCode ? bureauCodeOf(refusal) : undefined,
  });
}
