import type { KeyObject } from 'node:crypto';
import type { Static, TObject, TSchema } from 'typebox';
import type { Refusal } from '../base/errors.ts';
import type { Authenticator } from './authenticator.ts';
import type { Refusals } from './refusals.ts';
import type { UploadLimits } from './upload-slots.ts';
import type { UploadedFile } from './wire/file.ts';

/** What an operation of the contract declares, whatever its body is. */
interface Declaration<Request extends TObject, Response extends TSchema, Signer> {
  readonly name: string;
  /** Below the prefix that the operation is mounted at. */
  readonly path: string;
  /** Group in the reference. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Undefined: nobody signs, and names that the operation does not know are ignored. */
  readonly signedBy: Authenticator<Signer> | undefined;
  /** Parameters without those of the signature; every one is text. */
  readonly request: Request;
  /**
   * Parameters that name something that exists. Any text is looked up, so that a value that cannot
   * be a name is unknown instead of malformed. The operation must not pass such a value to the
   * database unchecked.
   */
  readonly anyText?: readonly (keyof Static<Request> & string)[];
  readonly response: Response;
  /** Besides those that all operations have, and those of the signature. */
  readonly refusals: Refusals;
  /** A request as the sandbox takes it, without its signature, and the answer it gives. */
  readonly example: {
    readonly request: Static<Request> & Readonly<Record<string, string>>;
    readonly answer: Static<Response>;
  };
  /** Default: the plain one. */
  readonly refusalForm?: RefusalForm;
}

/**
 * One operation of the contract: its parameters, its answer, and what it does. The rest is the same
 * for all: read → refuse ambiguity → verify the signature → validate → handle.
 */
export interface Operation<
  Request extends TObject,
  Response extends TSchema,
  Signer,
> extends Declaration<Request, Response, Signer> {
  /** A GET operation answers POST too (real clients do both), and reads a body as POST does. */
  readonly method: 'GET' | 'POST';
  // A method, so that lists may hold operations with different requests.
  handle(
    request: Static<Request>,
    signer: Signer,
    signature: Signature,
  ): Promise<AnswerOf<Response>> | AnswerOf<Response>;
}

/** An operation whose body is a file. Its parameters are in the query string. */
export interface FileOperation<
  Request extends TObject,
  Response extends TSchema,
  Signer,
> extends Declaration<Request, Response, Signer> {
  readonly method: 'POST';
  readonly signedBy: Authenticator<Signer>;
  readonly file: FileBody<Request>;
  handle(
    request: Static<Request>,
    signer: Signer,
    file: UploadedFile,
  ): Promise<AnswerOf<Response>> | AnswerOf<Response>;
}

interface FileBody<Request extends TObject> {
  readonly description: string;
  /** The file of the operation's example. */
  readonly example: string;
  readonly maxBytes: number;
  /**
   * The parameter that has the file's SHA-256, by which the signature covers the file before it has
   * arrived.
   */
  readonly sha256: keyof Static<Request> & string;
  readonly limits: UploadLimits;
}

/** An operation as lists hold it. */
export type AnyParametersOperation = Operation<TObject, TSchema, unknown>;
export type AnyFileOperation = FileOperation<TObject, TSchema, unknown>;
export type AnyOperation = AnyParametersOperation | AnyFileOperation;

/** Fields that refusals of some operations have besides those that all have. */
export interface RefusalForm {
  /** Distinguishes these refusals in OpenAPI. */
  readonly name: string;
  readonly fieldsOf: (refusal: Refusal) => Readonly<Record<string, unknown>>;
}

/** What a handler may know of the signature. */
export interface Signature {
  /** The key that signed, for records that name it; undefined when nothing is signed. */
  readonly key: KeyObject | undefined;
}

/** An answer that is sent byte for byte as it is given: kept from before, or in another form. */
export class StoredAnswer {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** An answer to be saved as a file. */
export class FileAnswer {
  readonly text: string;
  readonly contentType: string;
  /** Letters, digits, dots and hyphens. */
  readonly fileName: string;
  constructor(text: string, contentType: string, fileName: string) {
    this.text = text;
    this.contentType = contentType;
    this.fileName = fileName;
  }
}

/** An answer with headers of its own. */
export class HeadedAnswer<Body> {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
  constructor(body: Body, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.headers = headers;
  }
}

type AnswerOf<Response extends TSchema> =
  Static<Response> | HeadedAnswer<Static<Response>> | StoredAnswer | FileAnswer;

/** The same operations below a prefix. */
export function mountAt(prefix: string, operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.map((operation) => ({ ...operation, path: `${prefix}${operation.path}` }));
}
