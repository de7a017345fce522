import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  DUPLICATE_CHECKS,
  ENQUIRY_POLICIES,
  LONG_DUPLICATE_WINDOW,
  SECTORS,
  STATUS_TEXTS,
} from '../parties/vendor.ts';
import type { EnquiryPolicy, Sector } from '../parties/vendor.ts';
import * as fields from './fields.ts';
import { signature } from './signer-schema.ts';
import { duplicateWindow } from './vendor-view.ts';

/** A vendor's settings, as staff give them. */

export const sector = Type.Enum([...SECTORS], { description: 'its sector in credit information' });

export const settings = {
  duplicate_check: Type.Optional(
    Type.Enum([...DUPLICATE_CHECKS], {
      description:
        'when a create that equals a payment of the last seconds is refused (initially without_reference)',
      placeholder: 'when',
    }),
  ),
  duplicate_window_seconds: Type.Optional(
    duplicateWindow({
      option: 'duplicate-window',
      placeholder: 'seconds',
      description: 'how many seconds that are (initially 30; 120 where references are optional)',
    }),
  ),
  status_text: Type.Optional(
    Type.Enum([...STATUS_TEXTS], {
      placeholder: 'form',
      description:
        'msg.text of a status response: an object with the payment’s fields, or a sentence (initially object)',
    }),
  ),
  signature: Type.Optional(signature()),
};

const given = Type.Object(settings);

const OPTIONAL = 'accept creates without merchant_reference; a repeat of one may be paid twice';
export const referenceRequired = {
  option: 'require-reference',
  description: 'refuse creates without merchant_reference',
};

/** Everything that is said about a new vendor. */
export const newVendor = {
  vid: fields.vid({ argument: true }),
  name: fields.displayName(),
  sector,
  ...settings,
  reference_required: Type.Boolean({
    ...{ default: true, ...referenceRequired },
    shorthands: { 'optional-reference': { value: false, says: OPTIONAL } },
  }),
  enquiry_policy: Type.Enum([...ENQUIRY_POLICIES], {
    default: 'strict',
    description: 'whether enquiries need names and consent',
    placeholder: 'policy',
    shorthands: {
      'open-enquiries': {
        value: 'open',
        says: 'accept enquiries without consent, and identity decisions without names; report when names do not agree',
      },
    },
  }),
};

type Given = Static<typeof given> & {
  readonly sector?: Sector;
  readonly reference_required?: boolean;
  readonly enquiry_policy?: EnquiryPolicy;
};

export const settingsOfInput = (input: Given) => ({
  sector: input.sector,
  duplicateCheck: input.duplicate_check,
  duplicateWindowSeconds: input.duplicate_window_seconds,
  referenceRequired: input.reference_required,
  enquiryPolicy: input.enquiry_policy,
  statusText: input.status_text,
  signature: input.signature,
});

/** Those of a new vendor: optional references lengthen the duplicate window. */
export const newSettings = (input: Given & { readonly sector: Sector }) => ({
  ...settingsOfInput(input),
  sector: input.sector,
  duplicateWindowSeconds:
    input.duplicate_window_seconds ??
    (input.reference_required === false ? LONG_DUPLICATE_WINDOW : undefined),
});
