import type { KeyObject } from 'node:crypto';

export const SECTORS = [
  'bank',
  'microfinance',
  'sacco',
  'mobile_lender',
  'insurance',
  'retail',
  'utility',
  'other',
] as const;
export type Sector = (typeof SECTORS)[number];

export const DUPLICATE_CHECKS = ['off', 'without_reference', 'always'] as const;
export type DuplicateCheck = (typeof DUPLICATE_CHECKS)[number];

/**
 * Seconds in which an equal payment makes a new one a likely duplicate. Clients repeat a create for 45
 * s and longer, so vendors whose references are optional have the longer window.
 */
export const DUPLICATE_WINDOWS = [30, 120] as const;
export const LONG_DUPLICATE_WINDOW = 120;
export type DuplicateWindow = (typeof DUPLICATE_WINDOWS)[number];

export const ENQUIRY_POLICIES = ['strict', 'open'] as const;
/**
 * `strict`: enquiries need at least two names and the customer's consent, and a mismatch cannot be
 * distinguished from an unknown subject. `open`: as in the specification.
 */
export type EnquiryPolicy = (typeof ENQUIRY_POLICIES)[number];
export const STATUS_TEXTS = ['object', 'sentence'] as const;
/**
 * The content of `msg.text` in a status answer: the operator's fields, or a sentence for people.
 */
export type StatusText = (typeof STATUS_TEXTS)[number];

export const SIGNATURE_VERSIONS = ['v1', 'v2'] as const;
/** `v1`: the hash of the parameters is enough. `v2`: every request is signed by header. */
export type SignatureVersion = (typeof SIGNATURE_VERSIONS)[number];

/** A signer of requests: a vendor, or a collector that reports income. */
export interface Signer {
  readonly suspended: boolean;
  readonly signature: SignatureVersion;
  /** One key, or two during a rotation. */
  readonly keys: readonly KeyObject[];
}

export interface Vendor extends Signer {
  readonly vendorId: number;
  readonly vid: string;
  readonly name: string;
  readonly sector: Sector;
  readonly duplicateCheck: DuplicateCheck;
  readonly duplicateWindowSeconds: DuplicateWindow;
  readonly referenceRequired: boolean;
  readonly enquiryPolicy: EnquiryPolicy;
  readonly statusText: StatusText;
}

/** The vendors whose income a collector may report: all, or those named. */
export type CollectorScope = 'all' | readonly string[];

export interface Collector extends Signer {
  readonly collector: string;
  readonly name: string;
  readonly scope: CollectorScope;
}

export function isInScope(scope: CollectorScope, vid: string): boolean {
  return scope === 'all' || scope.includes(vid);
}

/** Names of vendors and collectors on the wire. */
export const SIGNER_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
