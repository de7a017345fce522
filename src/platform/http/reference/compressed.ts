import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A text that does not change while the service runs, compressed once. */
export interface CompressedText {
  readonly type: string;
  readonly etag: string;
  /** By content encoding, the smallest first. */
  readonly encoded: ReadonlyMap<string, Buffer>;
}

const compressions = [
  ['br', promisify<Buffer, Buffer>(brotliCompress)],
  ['gzip', promisify<Buffer, Buffer>(gzip)],
] as const;

export async function compressText(bytes: Buffer, type: string): Promise<CompressedText> {
  const encoded = compressions.map(
    async ([name, compress]) => [name, await compress(bytes)] as const,
  );
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    type,
    etag: `W/"${digest}"`,
    encoded: new Map([...(await Promise.all(encoded)), ['identity', bytes]]),
  };
}

/** Sends the best encoding that the client accepts, or 304 if the client already has it. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  text: CompressedText,
): FastifyReply {
  const accepted = acceptedEncodings(request.headers['accept-encoding'] ?? '');
  const name = [...text.encoded.keys()].find((each) => accepted.has(each)) ?? 'identity';
  // A new version of the service has new files under the same URLs.
  void reply
    .header('cache-control', 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', text.etag);
  if (request.headers['if-none-match'] === text.etag) return reply.code(304).send();
  if (name !== 'identity') void reply.header('content-encoding', name);
  return reply.type(text.type).send(text.encoded.get(name));
}

/** The encodings named without `q=0` (RFC 9110 §12.5.3). */
function acceptedEncodings(header: string): Set<string> {
  const named = header.toLowerCase().split(',');
  const wanted = named.filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each));
  return new Set(wanted.map((each) => each.split(';', 1)[0]?.trim() ?? ''));
}
