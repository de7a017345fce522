import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { request } from 'undici';
import type { Dispatcher } from 'undici';
import type { Content, Range } from './storage.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary credentials have one. */
  readonly sessionToken: string | undefined;
}

export interface S3Target extends S3Credentials {
  /** With the bucket, in the host or as the first part of the path; without a slash at the end. */
  readonly bucketUrl: string;
  readonly region: string;
}

export interface S3Call {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Empty: the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly content?: Content;
  readonly range?: Range | undefined;
  /** The object must not exist. */
  readonly ifNew?: boolean;
  /** Limits the whole call, from the connection to the last byte. */
  readonly deadlineMs: number;
}

export interface S3Answer {
  readonly status: number;
  readonly body: Buffer;
}

const EMPTY = createHash('sha256').digest('hex');

/**
 * Signs and sends one request (AWS Signature Version 4). The signature covers the hash of what is
 * sent, so the server refuses an upload that was damaged on the way.
 * Throws any error of the connection, and when the answer is not complete by the deadline.
 */
export async function callS3(
  dispatcher: Dispatcher,
  target: S3Target,
  call: S3Call,
  signal: AbortSignal,
): Promise<S3Answer> {
  const { method, content, range } = call;
  const url = new URL(
    `${target.bucketUrl}/${call.key.split('/').map(encodeURIComponent).join('/')}`,
  );
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const signer = new AwsV4Signer({
    method,
    url: url.toString(),
    headers: {
      'x-amz-content-sha256': content?.sha256 ?? EMPTY,
      ...(call.ifNew === true ? { 'if-none-match': '*' } : {}),
    },
    service: 's3',
    region: target.region,
    accessKeyId: target.accessKeyId,
    secretAccessKey: target.secretAccessKey,
    ...(target.sessionToken === undefined ? {} : { sessionToken: target.sessionToken }),
  });
  const signed = await signer.sign();
  const answer = await request(signed.url, {
    dispatcher,
    method,
    headers: {
      ...Object.fromEntries(signed.headers),
      ...(content === undefined ? {} : { 'content-length': String(content.bytes) }),
      ...(range === undefined
        ? {}
        : { range: `bytes=${range.from}-${range.from + range.bytes - 1}` }),
    },
    body: content?.open() ?? null,
    signal: AbortSignal.any([signal, AbortSignal.timeout(call.deadlineMs)]),
  });
  return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
}
