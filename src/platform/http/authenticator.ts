import type { KeyObject } from 'node:crypto';
import type { TSchema } from 'typebox';
import type { Fields, Reading } from '../base/canonical.ts';
import type { Refusals } from './refusals.ts';

/** A request with every reading of its parameters. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they stand in the request line. */
  readonly target: string;
  readonly body: Buffer | undefined;
  /** SHA-256 in hex that the body has to have, for one that has not arrived. */
  readonly bodySha256: string | undefined;
  readonly reading: Reading;
  /** The `X-Signature` header as sent; undefined when the request has no such header. */
  readonly signatureHeader: string | undefined;
  /** Where it comes from, for limits. */
  readonly address: string;
}

export interface Authenticated<Signer> {
  /** The reading that was signed; the only one to act on. */
  readonly fields: Fields;
  readonly signer: Signer;
  /** Distinguishes signers, for limits. */
  readonly signerName: string;
  /** The key that signed. */
  readonly key: KeyObject;
}

/** How operations find out who signed a request. */
export interface Authenticator<Signer> {
  /** Parameters that it adds to those of an operation. */
  readonly parameters: Readonly<Record<string, TSchema>>;
  /** What a request may be refused with for its signature. */
  readonly refusals: Refusals;
  /** An example's request with the parameters of its signature. */
  readonly signExample: (
    request: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** Rejects with a `Refusal` when the signature does not hold. */
  readonly authenticate: (request: ReceivedRequest) => Promise<Authenticated<Signer>>;
}
