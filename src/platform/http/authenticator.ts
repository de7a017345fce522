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
  /** The SHA-256 in hex that a body which has not arrived must have. */
  readonly bodySha256: string | undefined;
  readonly reading: Reading;
  /** The `X-Signature` header as sent; undefined when the request has no such header. */
  readonly signatureHeader: string | undefined;
  /** The client's address, for limits. */
  readonly address: string;
}

export interface Authenticated<Signer> {
  /** The reading that was signed, and the only one to act on. */
  readonly fields: Fields;
  readonly signer: Signer;
  /** Distinguishes signers, for limits. */
  readonly signerName: string;
  /** The key that signed. */
  readonly key: KeyObject;
}

/** Authenticates the requests of operations. */
export interface Authenticator<Signer> {
  /** Parameters that it adds to those of an operation. */
  readonly parameters: Readonly<Record<string, TSchema>>;
  /** The refusals that a signature may cause. */
  readonly refusals: Refusals;
  /** Adds the parameters of its signature to an example's request. */
  readonly signExample: (
    request: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** Throws or rejects with a `Refusal` if the signature is invalid. */
  readonly authenticate: (
    request: ReceivedRequest,
  ) => Authenticated<Signer> | Promise<Authenticated<Signer>>;
}
