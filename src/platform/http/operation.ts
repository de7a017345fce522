import type { KeyObject } from 'node:crypto';
import type { Static, TObject, TSchema } from 'typebox';
import type { Refusal } from '../base/errors.ts';
import type { Authenticator } from './authenticator.ts';
import type { Refusals } from './refusals.ts';
import type { StreamedAnswer } from './streamed-answer.ts';
import type { UploadLimits } from './upload-slots.ts';
import type { UploadedFile } from './wire/file.ts';

/** The declaration that all operations of the contract share, whatever their body. */
interface Declaration<Request extends TObject, Response extends TSchema, Signer> {
  readonly name: string;
  /** The path, below the prefix that the operation is mounted at. */
  readonly path: string;
  /** Group in the reference. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Undefined: there is no signature, and unknown parameters are ignored. */
  readonly signedBy: Authenticator<Signer> | undefined;
  /** The parameters without those of the signature; every value is text. */
  readonly request: Request;
  /**
   * Parameters that name something that exists. Any text is looked up, so that a value that cannot
   * be a name is unknown instead of malformed. The operation must not pass such a value to the
   * database unchecked.
   */
  readonly anyText?: readonly (keyof Static<Request> & string)[];
  readonly response: Response;
  /** Refusals in addition to those of all operations and of the signature. */
  readonly refusals: Refusals;
  /** A request that the sandbox accepts, without its signature, and the response. */
  readonly example: {
    readonly request: Static<Request> & Readonly<Record<string, string>>;
    readonly answer: Static<Response>;
  };
  /** Default: the standard one. */
  readonly refusalForm?: RefusalForm;
}

/**
 * One operation of the contract: its parameters, its response and its handler. The rest is the same
 * for all: read → refuse ambiguity → verify the signature → validate → handle.
 */
export interface Operation<
  Request extends TObject,
  Response extends TSchema,
  Signer,
> extends Declaration<Request, Response, Signer> {
  /** A GET operation answers POST too (real clients do both), and reads a body as POST does. */
  readonly method: 'GET' | 'POST';
  // A method, so that lists may hold operations with different request types.
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
    signature: Signature,
  ): Promise<AnswerOf<Response>> | AnswerOf<Response>;
}

interface FileBody<Request extends TObject> {
  readonly description: string;
  /** The file of the operation's example. */
  readonly example: string;
  readonly maxBytes: number;
  /**
   * The parameter with the file's SHA-256. By it the signature covers the file before the file has
   * arrived.
   */
  readonly sha256: keyof Static<Request> & string;
  readonly limits: UploadLimits;
}

/** The type of an operation in a list. */
export type AnyParametersOperation = Operation<TObject, TSchema, unknown>;
export type AnyFileOperation = FileOperation<TObject, TSchema, unknown>;
export type AnyOperation = AnyParametersOperation | AnyFileOperation;

/** Stands between a signed request that was accepted and its handler: the sandbox's faults. */
export type Around = <Answer>(
  operation: AnyOperation,
  signer: unknown,
  handle: () => Promise<Answer>,
) => Promise<Answer>;

/** The operation with what stands around its handler. */
export function surrounded(operation: AnyOperation, around: Around): AnyOperation {
  if ('file' in operation) {
    return {
      ...operation,
      handle: async (request, signer, file, signature) =>
        await around(operation, signer, async () =>
          operation.handle(request, signer, file, signature),
        ),
    };
  }
  const other: AnyParametersOperation = {
    ...operation,
    handle: async (request, signer, signature) =>
      await around(operation, signer, async () => operation.handle(request, signer, signature)),
  };
  return other;
}

/** The format of refusals, where it differs from the usual one. */
export interface RefusalForm {
  /** Distinguishes these refusals in OpenAPI. */
  readonly name: string;
  /** Additional fields of the usual body. */
  readonly fieldsOf?: (refusal: Refusal) => Readonly<Record<string, unknown>>;
  /** Another body instead of the usual one. */
  readonly body?: {
    /** In OpenAPI. */
    readonly schemaName: string;
    readonly of: (refusal: Refusal, requestId: string) => object;
  };
}

/** The part of a signature that handlers may use. */
export interface Signature {
  /** The key that signed, for records that name it; undefined when nothing is signed. */
  readonly key: KeyObject | undefined;
}

/** A response that is sent byte for byte: stored earlier, or in another format. */
export class StoredAnswer {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** A response with its own headers. */
export class HeadedAnswer<Body> {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
  constructor(body: Body, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.headers = headers;
  }
}

/**
 * The answer to a repeat: it describes what an earlier request did. Everything that a program could
 * count a second time is marked with this.
 */
export function markedReplay<Body>(body: Body, isReplay: boolean): Body | HeadedAnswer<Body> {
  return isReplay ? new HeadedAnswer(body, { 'idempotency-replayed': 'true' }) : body;
}

type AnswerOf<Response extends TSchema> =
  | Static<Response>
  | HeadedAnswer<Static<Response>>
  | StoredAnswer
  | StreamedAnswer;

/** Returns the operations with a prefix in front of their paths. */
export function mountAt(prefix: string, operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.map((operation) => ({ ...operation, path: `${prefix}${operation.path}` }));
}
