import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.ts';
import { identify, queryOf, signatureHeaderOf } from './identify.ts';
import type { OperationDeps } from './identify.ts';
import type { AnyFileOperation, Signature } from './operation.ts';
import { UploadSlots } from './upload-slots.ts';
import { createValidator } from './validate.ts';
import { takeFile } from './wire/file.ts';
import { readFields } from './wire/request.ts';

/** Room for the part's headers and boundaries around the file. */
const MULTIPART_BYTES = 4 * 1024;

interface Sender {
  readonly signer: unknown;
  readonly signerName: string;
  readonly key: Signature['key'];
  readonly request: Readonly<Record<string, unknown>>;
  /** In lower-case hex. */
  readonly fileSha256: string;
}

/** A route's hooks and handler for an operation whose body is a file. */
interface Upload {
  readonly bodyLimit: number;
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly preValidation: (request: FastifyRequest) => Promise<void>;
  readonly handle: (request: FastifyRequest) => Promise<unknown>;
}

/**
 * The parameters are in the query string, so that the signature is checked before any byte of the
 * file is read; their SHA-256 covers the file. A signature in the header covers the body's bytes.
 * If the body is the file, that is the same SHA-256. If it is multipart, the signature is checked
 * once the body has arrived.
 */
export function createUpload(operation: AnyFileOperation, deps: OperationDeps): Upload {
  const { file } = operation;
  const senderOf = createSenderReader(operation, deps);
  const senders = new WeakMap<FastifyRequest, Sender>();
  const awaited = new WeakMap<FastifyRequest, () => void>();
  const slots = new UploadSlots(file.limits);
  return {
    bodyLimit: file.maxBytes + MULTIPART_BYTES,
    onRequest: async (request, reply) => {
      const { unfinished } = request;
      if (unfinished !== undefined && isSignedAsAWhole(request)) {
        awaited.set(request, slots.awaitUnproven(unfinished, reply.raw));
        return;
      }
      const sender = await senderOf(request);
      senders.set(request, sender);
      if (unfinished === undefined || request.isClosed) return;
      const { signerName, request: asked } = sender;
      const upload = { signerName, request: JSON.stringify(asked), unfinished };
      awaited.set(request, slots.await(upload, reply.raw));
      // This sender is known and has few uploads: no stranger from the same address takes its
      // place.
      unfinished.leave();
    },
    preValidation: async (request) => awaited.get(request)?.(),
    handle: async (request) => {
      const body = request.body as Buffer | undefined;
      if (body === undefined || body.length === 0) {
        throw new Refusal('missing_field', { field: 'file', text: 'Send the file as the body' });
      }
      const sender = senders.get(request) ?? (await senderOf(request));
      const isHandled = slots.take(sender.signerName);
      try {
        const taken = await takeFile(request.headers['content-type'], body);
        if (taken.sha256.toString('hex') !== sender.fileSha256) {
          throw new Refusal('file_mismatch', { field: file.sha256 });
        }
        return await operation.handle(sender.request, sender.signer, taken, { key: sender.key });
      } finally {
        request.body = undefined;
        isHandled();
      }
    },
  };
}

/**
 * True for a signature in the header over a multipart body, whose SHA-256 the parameters do not
 * contain.
 */
function isSignedAsAWhole(request: FastifyRequest): boolean {
  const { 'content-type': contentType = '' } = request.headers;
  return signatureHeaderOf(request) !== undefined && /^\s*multipart\//i.test(contentType);
}

/**
 * Identifies the sender from the query string, before or after the body has arrived. Rejects with
 * the refusals of `readFields` and of the authenticator.
 */
function createSenderReader(
  operation: AnyFileOperation,
  deps: OperationDeps,
): (request: FastifyRequest) => Promise<Sender> {
  const { signedBy, file } = operation;
  const parameters = deps.knownNames.signed(Object.keys(operation.request.properties));
  const validate = createValidator(operation.request);
  const digestIn = (checked: Sender['request']): string =>
    String(checked[file.sha256]).toLowerCase();
  return async (request) => {
    const wire = { contentType: undefined, body: undefined, query: queryOf(request) };
    const reading = await readFields(wire, parameters);
    const isAwaited = request.unfinished !== undefined && request.body === undefined;
    const bodySha256 =
      signatureHeaderOf(request) !== undefined && isAwaited
        ? digestIn(validate(reading.fields))
        : undefined;
    const { fields, signer, signerName, key } = await identify(
      request,
      { reading, signedBy, bodySha256 },
      deps,
    );
    const checked = validate(fields);
    return { signer, signerName, key, request: checked, fileSha256: digestIn(checked) };
  };
}
