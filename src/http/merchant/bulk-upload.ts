import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Refusal } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import type { Vendor } from '../../vendors/vendor.ts';
import { noteSigner } from '../request-log.ts';
import type { Parameters } from '../wire/parameters.ts';
import { readFields } from '../wire/request.ts';
import { authenticate } from './authenticate.ts';
import type { AuthenticationDeps } from './authenticate.ts';
import { BULK_COLUMNS, readRows, takeFile } from './bulk-file.ts';
import { progressOf, progressSchema } from './bulk-operations.ts';
import type { BulkDeps } from './bulk-operations.ts';
import { batchReference, hash, sha256, vid } from './fields.ts';
import { createValidator } from './operation.ts';
import type { OperationDeps } from './operation.ts';
import { headerStatus, refusalSchema } from './schemas.ts';

const request = Type.Object({ vid, batch_reference: batchReference, sha256 });
const parameters = Type.Object({ ...request.properties, hash });
const response = Type.Object({ header_status: headerStatus, msg: progressSchema });
const file = Type.String({
  description:
    'CSV with a header, or JSON lines; columns and names are those of a single create without `vid` and `hash`.',
});

const validate = createValidator(request);
/** Room for the part's headers and boundaries around the file. */
const MULTIPART_BYTES = 4 * 1024;

interface Sender {
  readonly vendor: Vendor;
  readonly request: Static<typeof request>;
}

/**
 * The upload of a batch. Its parameters are in the query string, so that the signature is checked
 * before a byte of the file is read; the file is covered by its SHA-256 among them. (A signature in
 * the header is over the body's bytes, and is checked when they are there.)
 */
export function addBulkUpload(
  app: FastifyInstance,
  deps: BulkDeps & OperationDeps,
  path: string,
): void {
  const names = deps.knownNames.signed(Object.keys(request.properties));
  const columns = deps.knownNames.columns(BULK_COLUMNS);
  const senders = new WeakMap<FastifyRequest, Sender>();
  let uploads = 0;
  app.route({
    method: 'POST',
    url: path,
    bodyLimit: LIMITS.bulkFileBytes + MULTIPART_BYTES,
    schema: {
      operationId: 'bulkCreate',
      summary: 'Create many transactions',
      description: `Queues the payments of a file: CSV or JSON lines, at most ${LIMITS.bulkRows} rows and ${LIMITS.bulkFileBytes} bytes. Success means that the file was taken; each row is then accepted or refused on its own, as a single create would be: ask for the batch's status and its result. The same \`batch_reference\` with the same file answers for the same batch, and nothing is paid twice.`,
      tags: ['Billing'],
      querystring: parameters,
      consumes: ['text/csv', 'application/x-ndjson', 'multipart/form-data'],
      body: file,
      response: { 200: response, default: refusalSchema },
    },
    // Parameters are read and checked below.
    validatorCompiler: () => () => true,
    onRequest: async (incoming, reply) => {
      if (uploads >= LIMITS.bulkUploadsAtOnce) {
        throw new Refusal('overloaded', { retryAfterSeconds: 1 });
      }
      uploads += 1;
      reply.raw.once('close', () => {
        uploads -= 1;
      });
      if (incoming.headers['x-signature'] === undefined) {
        senders.set(incoming, await identify(incoming, names, deps));
      }
    },
    handler: async (incoming) => {
      const body = incoming.body as Buffer | undefined;
      if (body === undefined || body.length === 0) {
        throw new Refusal('missing_field', { field: 'file', text: 'The file is the body' });
      }
      const sender = senders.get(incoming) ?? (await identify(incoming, names, deps));
      const taken = await takeFile(incoming.headers['content-type'], body);
      if (taken.sha256.toString('hex') !== sender.request.sha256.toLowerCase()) {
        throw new Refusal('file_mismatch', { field: 'sha256' });
      }
      const progress = await deps.bulkDesk.accept({
        vendorId: sender.vendor.vendorId,
        batchReference: sender.request.batch_reference,
        fileSha256: taken.sha256,
        rows: readRows(taken, columns),
      });
      return { header_status: 200, msg: progressOf(progress, deps.wireTime) };
    },
  });
}

/** Who sends, from the query string. Rejects with what `readFields` and `authenticate` throw. */
async function identify(
  incoming: FastifyRequest,
  names: Parameters,
  deps: AuthenticationDeps,
): Promise<Sender> {
  const target = incoming.raw.url ?? '';
  const mark = target.indexOf('?');
  const query = mark === -1 ? '' : target.slice(mark + 1);
  const reading = await readFields({ contentType: undefined, body: undefined, query }, names);
  noteSigner(incoming, reading.fields, deps.directory);
  const { fields, signer } = await authenticate(
    {
      method: incoming.method,
      target,
      body: incoming.body as Buffer | undefined,
      reading,
      signatureHeader: incoming.headers['x-signature'] as string | undefined,
      address: incoming.ip,
    },
    'vendor',
    deps,
  );
  return { vendor: signer, request: validate(fields) };
}
