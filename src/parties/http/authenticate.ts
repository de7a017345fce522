import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../platform/base/clock.ts';
import { HASH_FIELD, canonicalText } from '../../platform/base/canonical.ts';
import type { Fields, Reading } from '../../platform/base/canonical.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { SignatureExplanation } from '../../platform/base/errors.ts';
import type { VendorDirectory } from '../directory.ts';
import {
  SIGNATURE_HEADER,
  headerSignatureText,
  isFresh,
  readHeaderSignature,
  verifyHeaderSignature,
} from '../header-signature.ts';
import type { HeaderSignature } from '../header-signature.ts';
import type { NonceStore } from '../nonces.ts';
import { verify } from '../signature.ts';
import type { Collector, Signer, Vendor } from '../vendor.ts';
import type {
  Authenticated,
  Authenticator,
  ReceivedRequest,
} from '../../platform/http/authenticator.ts';
import type { Refusals } from '../../platform/http/refusals.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import { signExample } from './demo-signers.ts';
import { hash, vid as vidParameter } from './fields.ts';

/** The keys and limits that signatures are checked with. */
export interface AuthenticationDeps {
  readonly directory: VendorDirectory;
  readonly nonces: NonceStore;
  readonly clock: Clock;
  readonly limits: RateLimits;
  /** Only in the sandbox: `signature_invalid` shows the text that should have been signed. */
  readonly explainsSignatures: boolean;
}

/** One kind of signer. */
interface SignerKind<OfKind extends Signer> {
  readonly kind: 'vendor' | 'collector';
  /** The parameter that names the signer. */
  readonly field: string;
  readonly find: (name: string) => OfKind | undefined;
}

const SIGNATURE_REFUSALS: Refusals = {
  signature_invalid: { field: HASH_FIELD },
  signature_v2_required: { field: SIGNATURE_HEADER },
  signature_expired: { field: SIGNATURE_HEADER },
  signature_replayed: { field: SIGNATURE_HEADER },
  vendor_suspended: { field: 'vid' },
};

export interface Authenticators {
  readonly byVendor: Authenticator<Vendor>;
  readonly byCollector: Authenticator<Collector>;
}

export function createAuthenticators(deps: AuthenticationDeps): Authenticators {
  const { directory } = deps;
  const by = <OfKind extends Signer>(kind: SignerKind<OfKind>): Authenticator<OfKind> => ({
    parameters: { hash },
    refusals: SIGNATURE_REFUSALS,
    signExample: (request) => signExample(request, request[kind.field] ?? ''),
    authenticate: (request) => authenticate(request, kind, deps),
  });
  return {
    byVendor: by(vendorKind(directory)),
    byCollector: by({
      kind: 'collector',
      field: 'collector',
      find: (name) => directory.collector(name),
    }),
  };
}

function vendorKind(directory: VendorDirectory): SignerKind<Vendor> {
  return { kind: 'vendor', field: 'vid', find: (name) => directory.vendor(name) };
}

/**
 * Takes a vendor's signature by header (v2) only. It covers the whole request, so it holds for one
 * method, path, query and body, once.
 */
export function createHeaderAuthenticator(deps: AuthenticationDeps): Authenticator<Vendor> {
  const kind = vendorKind(deps.directory);
  return {
    parameters: { [kind.field]: vidParameter },
    refusals: { ...SIGNATURE_REFUSALS, signature_invalid: { field: SIGNATURE_HEADER } },
    signExample: (request) => request,
    authenticate: async (request) => {
      if (request.signatureHeader !== undefined) return await byHeader(request, kind, deps);
      deps.limits.forStranger(request.address);
      throw new Refusal('signature_v2_required', {
        field: SIGNATURE_HEADER,
        text: `Sign the request with the ${SIGNATURE_HEADER} header`,
      });
    },
  };
}

/**
 * The sender that a request names, for the log; with `signature_invalid` the sender is not proven.
 * Only existing names: others could contain anything.
 */
export function describeSender(
  fields: Fields,
  directory: Pick<VendorDirectory, 'vendor' | 'collector'>,
): Readonly<Record<string, string>> {
  const [vid, collector] = [fields.get('vid'), fields.get('collector')];
  const known: { vid?: string; collector?: string } = {};
  if (vid && directory.vendor(vid) !== undefined) known.vid = vid;
  if (collector && directory.collector(collector) !== undefined) known.collector = collector;
  return known;
}

/**
 * Authenticates a request by `hash` (v1), or by the header (v2) if it has one. A failure gives the
 * same refusal, at the same cost, for an unknown signer and for a wrong signature.
 *
 * Throws, or with a header rejects with: `signature_invalid`, `missing_field`, `malformed_request`, the
 * refusal of the reading, `vendor_suspended`, `signature_v2_required`, `signature_expired`,
 * `signature_replayed`, `overloaded`, `unavailable`, `too_many_requests`.
 */
function authenticate<OfKind extends Signer>(
  request: ReceivedRequest,
  kind: SignerKind<OfKind>,
  deps: AuthenticationDeps,
): Authenticated<OfKind> | Promise<Authenticated<OfKind>> {
  if (request.signatureHeader !== undefined) return byHeader(request, kind, deps);
  const { reading } = request;
  const verified = verify(reading, (fields) => signerOf(fields, kind));
  if (verified === undefined) {
    deps.limits.forStranger(request.address);
    throw whyNotVerified(reading, kind.field, explainHash(reading.fields, kind, deps));
  }
  const { fields, signer, key } = verified;
  if (signer.suspended) throw new Refusal('vendor_suspended', { field: kind.field });
  if (signer.signature === 'v2') {
    throw new Refusal('signature_v2_required', { field: SIGNATURE_HEADER });
  }
  const name = nameIn(fields, kind);
  deps.limits.forSigner({ kind: kind.kind, name, address: request.address });
  return { fields, signer, signerName: name, key };
}

async function byHeader<OfKind extends Signer>(
  request: ReceivedRequest,
  kind: SignerKind<OfKind>,
  deps: AuthenticationDeps,
): Promise<Authenticated<OfKind>> {
  const { reading } = request;
  const signature = readHeaderSignature(request.signatureHeader ?? '');
  if (signature === undefined) {
    throw new Refusal('malformed_request', {
      field: SIGNATURE_HEADER,
      text: `${SIGNATURE_HEADER} must be v2,t=<epoch seconds>,nonce=<16 to 64 letters, digits, - or _>,sig=<64 hexadecimal digits>`,
    });
  }
  // The bytes are signed, so a form has its usual meaning: there is no second reading.
  if (reading.refusal !== undefined) throw reading.refusal;
  const signer = signerOf(reading.fields, kind);
  const key = verifyHeaderSignature(signature, request, signer?.keys ?? []);
  if (signer === undefined || key === undefined) {
    deps.limits.forStranger(request.address);
    if (nameIn(reading.fields, kind) === '') throw missing(kind.field);
    const text = (): string => headerSignatureText(request, signature);
    throw invalid(SIGNATURE_HEADER, explain(text, signer !== undefined, deps));
  }
  const name = nameIn(reading.fields, kind);
  // Before any other check: a signed request counts once, whatever its result.
  await takeOnce(signature, { kind: kind.kind, name }, { ...deps, address: request.address });
  if (!hasRightHash(reading.fields, key)) {
    throw invalid(HASH_FIELD, explainHash(reading.fields, kind, deps));
  }
  if (signer.suspended) throw new Refusal('vendor_suspended', { field: kind.field });
  return { fields: reading.fields, signer, signerName: name, key };
}

/**
 * With the header, `hash` may be left out; a wrong one is a mistake that its sender should learn
 * of.
 */
function hasRightHash(fields: Fields, key: KeyObject): boolean {
  if ((fields.get(HASH_FIELD) ?? '') === '') return true;
  return verify({ fields }, () => ({ keys: [key] })) !== undefined;
}

/** The signer that the request names; empty if it names none. */
function nameIn(fields: Fields, { field }: Pick<SignerKind<Signer>, 'field'>): string {
  return fields.get(field) ?? '';
}

function signerOf<OfKind extends Signer>(
  fields: Fields,
  kind: SignerKind<OfKind>,
): OfKind | undefined {
  return kind.find(nameIn(fields, kind));
}

/**
 * A signature that is expired or used may have been kept by anybody, so it counts for the address that sends it, and
 * never for its signer.
 */
async function takeOnce(
  signature: HeaderSignature,
  signer: { readonly kind: SignerKind<Signer>['kind']; readonly name: string },
  { limits, nonces, clock, address }: AuthenticationDeps & { readonly address: string },
): Promise<void> {
  if (!isFresh(signature, clock.now())) {
    limits.forStranger(address);
    throw new Refusal('signature_expired', { field: SIGNATURE_HEADER });
  }
  limits.requireRoom(signer);
  try {
    await nonces.take({ holderKind: signer.kind, holder: signer.name }, signature);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'signature_replayed') {
      limits.forStranger(address);
    }
    throw error;
  }
  limits.forSigner(signer);
}

/** The most helpful refusal that reveals nothing about keys. */
function whyNotVerified(
  reading: Reading,
  signerField: string,
  explanation: SignatureExplanation | undefined,
): Refusal {
  if (reading.refusal !== undefined) return reading.refusal;
  for (const name of [signerField, HASH_FIELD]) {
    if ((reading.fields.get(name) ?? '') === '') return missing(name);
  }
  return invalid(HASH_FIELD, explanation);
}

/** Explains the decoded reading of a form, which is a form's usual meaning. */
function explainHash(
  fields: Fields,
  kind: SignerKind<Signer>,
  deps: AuthenticationDeps,
): SignatureExplanation | undefined {
  return explain(() => canonicalText(fields), signerOf(fields, kind) !== undefined, deps);
}

function explain(
  signedText: () => string,
  vidKnown: boolean,
  deps: AuthenticationDeps,
): SignatureExplanation | undefined {
  return deps.explainsSignatures ? { signedText: signedText(), vidKnown } : undefined;
}

function missing(name: string): Refusal {
  return new Refusal('missing_field', { field: name, text: `${name} is required` });
}

function invalid(field: string, explanation: SignatureExplanation | undefined): Refusal {
  return new Refusal('signature_invalid', { field, explanation });
}
