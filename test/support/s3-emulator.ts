import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Settings } from '../../src/platform/storage/s3.ts';

export const BUCKET = 'backups';
const CREDENTIALS = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/for+tests' };
const REGION = 'region-1';
/** Few, so that lists have several pages. */
const PAGE_KEYS = 7;

/**
 * What happens to a request: it is refused in passing, not answered, or cut off in the middle of its
 * body; or its content arrives damaged, or is stored damaged.
 */
export type S3Fault =
  | 'unavailable'
  | 'silence'
  | 'cut'
  | 'damaged'
  | 'stored_damaged'
  | 'lost_answer';

/** A bucket that checks every signature, as the S3 protocol defines it. */
export interface S3Emulator {
  readonly settings: S3Settings;
  /** As `AWS_…` variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly objects: Map<string, Buffer>;
  /** Method and key of each request. */
  readonly requests: string[];
  /** The fault of the next requests whose `METHOD key` matches. */
  fault(kind: S3Fault, matching: RegExp, times?: number): void;
  /** No more faults. */
  heal(): void;
  close(): Promise<void>;
}

export async function startS3Emulator(): Promise<S3Emulator> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let faults: { kind: S3Fault; matching: RegExp; times: number }[] = [];
  const takeFault = (what: string): S3Fault | undefined => {
    const found = faults.find(({ matching }) => matching.test(what));
    if (found === undefined) return undefined;
    found.times -= 1;
    faults = faults.filter(({ times }) => times > 0);
    return found.kind;
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://s3');
    const key = decodeURIComponent(url.pathname).replace(`/${BUCKET}`, '').replace(/^\//, '');
    const what = `${request.method} ${key}`;
    requests.push(what);
    const fault = takeFault(what);
    if (fault === 'silence') return;
    if (fault === 'unavailable') {
      request.resume();
      return refuse(response, 503, 'SlowDown');
    }
    if (fault === 'cut') {
      if (request.headers['content-length'] === '0') return void request.socket.destroy();
      return void request.once('data', () => request.socket.destroy());
    }
    void answer({ request, response, url, key, fault, objects });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: {
      ...CREDENTIALS,
      endpoint,
      region: REGION,
      pathStyle: true,
      sessionToken: undefined,
      timing: { pauseMs: 1, deadlineMs: 2_000 },
    },
    environment: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      S3_PATH_STYLE: 'true',
    },
    objects,
    requests,
    fault: (kind, matching, times = 1) => void faults.push({ kind, matching, times }),
    heal: () => {
      faults = [];
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly key: string;
  readonly fault: S3Fault | undefined;
  readonly objects: Map<string, Buffer>;
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, url, key, fault, objects } = exchange;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const received = Buffer.concat(chunks);
  const body = fault === 'damaged' ? damage(received) : received;
  if (!url.pathname.startsWith(`/${BUCKET}`)) return refuse(response, 404, 'NoSuchBucket');
  const problem = findProblem(request, url, body);
  if (problem !== undefined) return refuse(response, problem.status, problem.code);
  switch (request.method) {
    case 'PUT':
      if (request.headers['if-none-match'] === '*' && objects.has(key)) {
        return refuse(response, 412, 'PreconditionFailed');
      }
      objects.set(key, fault === 'stored_damaged' ? damage(body) : body);
      if (fault === 'lost_answer') return void request.socket.destroy();
      return void response.end();
    case 'DELETE':
      objects.delete(key);
      return void response.writeHead(204).end();
    default:
      return key === '' ? list(response, url, objects) : get(exchange);
  }
}

function damage(body: Buffer): Buffer {
  const damaged = Buffer.from(body);
  damaged[0] = (damaged[0] ?? 0) ^ 1;
  return damaged;
}

function get({ request, response, key, objects }: Exchange): void {
  const content = objects.get(key);
  if (content === undefined) return refuse(response, 404, 'NoSuchKey');
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined) return void response.end(content);
  if (Number(from) >= content.length) return refuse(response, 416, 'InvalidRange');
  response.writeHead(206).end(content.subarray(Number(from), Number(to) + 1));
}

function list(response: ServerResponse, url: URL, objects: Map<string, Buffer>): void {
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(url.searchParams.get('prefix') ?? '') && key > after)
    .toSorted();
  const page = keys.slice(0, PAGE_KEYS);
  const more = keys.length > page.length;
  const entries = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response.end(
    `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more}</IsTruncated>${entries}${next}</ListBucketResult>`,
  );
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status)
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

/** AWS Signature Version 4, with the hash of the payload. */
function findProblem(
  request: IncomingMessage,
  url: URL,
  body: Buffer,
): { readonly status: number; readonly code: string } | undefined {
  const [, keyId, date, region, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  if (keyId !== CREDENTIALS.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
  if (region !== REGION) return { status: 400, code: 'AuthorizationHeaderMalformed' };
  const hash = String(request.headers['x-amz-content-sha256']);
  const signed = names?.split(';') ?? [];
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) {
    return { status: 403, code: 'AccessDenied' };
  }
  const query = [...url.searchParams]
    .map((pair) => pair.map(encodeStrictly).join('='))
    .toSorted()
    .join('&');
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((part) => encodeStrictly(decodeURIComponent(part)))
      .join('/'),
    query,
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    names,
    hash,
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    `${date}/${region}/s3/aws4_request`,
    sha256(canonical),
  ].join('\n');
  const key = [date ?? '', region, 's3', 'aws4_request'].reduce<Buffer>(
    (former, part) => createHmac('sha256', former).update(part).digest(),
    Buffer.from(`AWS4${CREDENTIALS.secretAccessKey}`),
  );
  const expected = createHmac('sha256', key).update(toSign).digest('hex');
  if (expected !== signature) return { status: 403, code: 'SignatureDoesNotMatch' };
  return hash === sha256(body) ? undefined : { status: 400, code: 'XAmzContentSHA256Mismatch' };
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
