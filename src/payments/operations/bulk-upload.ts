import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { noteForLog } from '../../platform/http/request-log.ts';
import type { Parameters } from '../../platform/http/wire/parameters.ts';
import { readFields } from '../../platform/http/wire/request.ts';
import { BULK_COLUMNS, readRows, takeFile } from './bulk-file.ts';
import { progressOf, progressSchema } from './bulk-progress.ts';
import type { BulkDeps } from './bulk-progress.ts';
import { hash, vid } from '../../parties/http/fields.ts';
import { batchReference, sha256 } from './fields.ts';
import { createValidator } from '../../platform/http/operation.ts';
import type { OperationDeps } from '../../platform/http/operation.ts';
import { UploadPlaces } from './upload-places.ts';
import { headerStatus, refusalSchema } from '../../platform/http/schemas.ts';

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

interface UploadDeps extends BulkDeps, OperationDeps {}

interface Sender {
  readonly vendor: Vendor;
  readonly request: Static<typeof request>;
}

/**
 * The upload of a batch. Its parameters are in the query string, so that the signature is checked
 * before a byte of the file is read, or a place is taken; the file is covered by its SHA-256 among
 * them. A signature in the header is over the body's bytes. When the body is the file, that is the
 * same SHA-256; when it is multipart, the signature is checked when it has arrived.
 */
export function addBulkUpload(app: FastifyInstance, deps: UploadDeps, path: string): void {
  const names = deps.knownNames.signed(Object.keys(request.properties));
  const columns = deps.knownNames.columns(BULK_COLUMNS);
  const senders = new WeakMap<FastifyRequest, Sender>();
  const unproven = new WeakMap<FastifyRequest, () => void>();
  const locations = new UploadPlaces();
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
      const { unfinished } = incoming;
      if (unfinished !== undefined && isSignedAsAWhole(incoming)) {
        unproven.set(incoming, locations.takeUnproven(unfinished, reply.raw));
        return;
      }
      const sender = await identify(incoming, names, deps);
      senders.set(incoming, sender);
      if (unfinished === undefined) return;
      locations.take(sender.vendor.vendorId, reply.raw);
      // Known, and one of few: no stranger from the same address takes its place.
      unfinished.leave();
    },
    preValidation: async (incoming) => unproven.get(incoming)?.(),
    handler: async (incoming, reply) => {
      const body = incoming.body as Buffer | undefined;
      if (body === undefined || body.length === 0) {
        throw new Refusal('missing_field', { field: 'file', text: 'The file is the body' });
      }
      const known = senders.get(incoming);
      const sender = known ?? (await identify(incoming, names, deps));
      if (known === undefined) locations.take(sender.vendor.vendorId, reply.raw);
      const taken = await takeFile(incoming.headers['content-type'], body);
      if (taken.sha256.toString('hex') !== sender.request.sha256.toLowerCase()) {
        throw new Refusal('file_mismatch', { field: 'sha256' });
      }
      const progress = await deps.bulkProcessor.accept({
        vendorId: sender.vendor.vendorId,
        batchReference: sender.request.batch_reference,
        fileSha256: taken.sha256,
        rows: await readRows(taken, columns),
      });
      return { header_status: 200, msg: progressOf(progress, deps.wireTime) };
    },
  });
}

/** With a signature in the header over a multipart body, whose SHA-256 the parameters do not tell. */
function isSignedAsAWhole({ headers }: FastifyRequest): boolean {
  const { 'x-signature': signature, 'content-type': contentType = '' } = headers;
  return signature !== undefined && /^\s*multipart\//i.test(contentType);
}

/** Who sends, from the query string, before the body is there or after. Rejects with what `readFields` and `authenticate` throw. */
async function identify(
  incoming: FastifyRequest,
  names: Parameters,
  deps: UploadDeps,
): Promise<Sender> {
  const target = incoming.raw.url ?? '';
  const mark = target.indexOf('?');
  const query = mark === -1 ? '' : target.slice(mark + 1);
  const reading = await readFields({ contentType: undefined, body: undefined, query }, names);
  noteForLog(incoming, deps.describeSender(reading.fields));
  const body = incoming.body as Buffer | undefined;
  const signatureHeader = incoming.headers['x-signature'] as string | undefined;
  const isAwaited = incoming.unfinished !== undefined && body === undefined;
  const bodySha256 =
    signatureHeader !== undefined && isAwaited
      ? validate(reading.fields).sha256.toLowerCase()
      : undefined;
  const { fields, signer } = await deps.byVendor.authenticate({
    method: incoming.method,
    target,
    body,
    ...(bodySha256 === undefined ? {} : { bodySha256 }),
    reading,
    signatureHeader,
    address: incoming.ip,
  });
  return { vendor: signer, request: validate(fields) };
}
