import type { Static, TObject, TSchema } from 'typebox';
import type { Authenticator } from './authenticator.ts';
import type { RefusalForm } from './operation.ts';
import type { Refusals } from './refusals.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

/** Media types of files that a resource may answer with. */
export type FileType = 'text/csv' | 'application/pdf';

/** A handler gets this in addition to the signed request. */
export interface ResourceContext<Signer> {
  readonly signer: Signer;
  /** The id of the key that signed. */
  readonly keyId: string | undefined;
  /** The client's address. */
  readonly address: string;
  readonly requestId: string;
  /** True once the response was sent or the connection has ended. */
  readonly isClosed: () => boolean;
}

/**
 * An operation on something that the path names. The whole request is signed by header, so its body
 * may be any JSON, and names of parameters need not be unique among all operations. The steps are the
 * same for all: read the query → verify the signature over method, path, query and body → validate →
 * handle.
 */
export interface Resource<
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Response extends TSchema,
  Signer,
> {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Such as `/payments/:reference`, below the prefix that it is mounted at. */
  readonly path: string;
  /** Group in the reference. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Must verify a signature that covers the body's bytes. */
  readonly signedBy: Authenticator<Signer>;
  /** Names in the path. Any text is looked up: what cannot be a name is unknown. */
  readonly params?: Params;
  /** Without the parameters of the authenticator; every value is text. */
  readonly query?: Query;
  /** Absent if a request must have no body. */
  readonly body?: Body;
  /** JSON, or a file. */
  readonly response: Response | FileType;
  /** Refusals in addition to those of all resources and of the signature. */
  readonly refusals: Refusals;
  readonly refusalForm: RefusalForm;
  /** A request that fits, and its answer: of a file the text. */
  readonly example: {
    readonly params?: Static<Params>;
    readonly query?: Static<Query>;
    readonly body?: Static<Body>;
    readonly answer: Static<Response> | string;
  };
  // A method, so that lists may hold resources with different requests.
  handle(
    request: {
      readonly params: Static<Params>;
      readonly query: Static<Query>;
      readonly body: Static<Body>;
    },
    context: ResourceContext<Signer>,
  ): Promise<Static<Response> | StreamedAnswer> | Static<Response> | StreamedAnswer;
}

/** The type of a resource in a list. */
export type AnyResource = Resource<TObject, TObject, TObject, TSchema, unknown>;

/** The path as OpenAPI writes it: `/payments/{reference}`. */
export function templateOf({ path }: Pick<AnyResource, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** Returns the resources with a prefix in front of their paths. */
export function mountResources(prefix: string, resources: readonly AnyResource[]): AnyResource[] {
  return resources.map((resource) => ({ ...resource, path: `${prefix}${resource.path}` }));
}
