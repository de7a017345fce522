import { Agent } from 'undici';
import { PlainError } from '../base/plain-error.ts';
import { sleep, systemTimers } from '../base/timers.ts';
import { childrenOf, readXml, textAt } from '../base/xml.ts';
import type { XmlElement } from '../base/xml.ts';
import { lookupHost } from '../outbound/host-names.ts';
import { callS3 } from './s3-request.ts';
import type { S3Answer, S3Call, S3Target } from './s3-request.ts';
import type { Storage } from './storage.ts';

/** As the environment has them. */
export interface S3Settings {
  /** Undefined: Amazon's for the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** True: the bucket is in the path of a URL, not in the host. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  /** Set by tests. Default: the values for production. */
  readonly timing?: S3Timing;
}

export interface S3Timing {
  /** The pause before the first repetition, which doubles each time. */
  readonly pauseMs: number;
  /** Time limit of a call, not counting the time allowed for sending its body. */
  readonly deadlineMs: number;
}

const TIMING: S3Timing = { pauseMs: 250, deadlineMs: 30_000 };
const ATTEMPTS = 5;
/** A slower connection is not waited for: 100 kB a second. */
const MIN_BYTES_PER_MS = 100;
const LIST_LIMITS = { depth: 10, nodes: 20_000 };

/** A prefix of a bucket. Throws: `PlainError` if a credential is missing. */
export function s3Storage(
  options: S3Settings & { readonly bucket: string; readonly prefix: string },
): Storage {
  const { bucket, prefix } = options;
  const place = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
  const dispatcher = new Agent({ connections: 8, connect: { lookup: lookupHost } });
  const closing = new AbortController();
  const call = createCaller({ ...options, place, dispatcher, signal: closing.signal });

  const list: Storage['list'] = async (start = '') =>
    await listKeys(call, { place, prefix, start });
  const remove: Storage['remove'] = async (name) => {
    const answer = await call({ method: 'DELETE', key: prefix + name });
    if (![200, 204, 404].includes(answer.status)) throw refused(place, answer);
  };
  const read: Storage['read'] = async (name, range) => {
    const answer = await call({ method: 'GET', key: prefix + name, range });
    if (answer.status === 200 || answer.status === 206) return answer.body;
    // The object ends before the range.
    if (answer.status === 416) return Buffer.alloc(0);
    if (answer.status === 404 && codeOf(answer) !== 'NoSuchBucket') return undefined;
    throw refused(place, answer);
  };
  const write: Storage['write'] = async (name, content) => {
    const answer = await call({ method: 'PUT', key: prefix + name, content });
    if (answer.status !== 200) throw refused(place, answer);
  };
  return {
    place,
    list,
    read,
    write,
    create: async (name, content) => {
      const answer = await call({ method: 'PUT', key: prefix + name, content, ifNew: true });
      if (answer.status === 200) return true;
      if (answer.status === 412 || answer.status === 409) return false;
      if (answer.status !== 501) throw refused(place, answer);
      // The server cannot decide it.
      if ((await read(name)) !== undefined) return false;
      await write(name, content);
      return true;
    },
    remove,
    removeFolder: async (name) => {
      for (const file of await list(`${name}/`)) await remove(file);
    },
    close: async () => {
      closing.abort(new Error('given up'));
      await dispatcher.destroy();
    },
  };
}

type Caller = (what: Omit<S3Call, 'deadlineMs'>) => Promise<S3Answer>;

/** Sends a request, again and again if it fails in passing. Throws: `PlainError` if it keeps failing. */
function createCaller(
  options: S3Settings & {
    readonly bucket: string;
    readonly place: string;
    readonly dispatcher: Agent;
    readonly signal: AbortSignal;
  },
): Caller {
  const { place, dispatcher, signal, timing = TIMING } = options;
  const target = targetOf(options);
  return async (what) => {
    const bytes = what.content?.bytes ?? what.range?.bytes ?? 0;
    const deadlineMs = timing.deadlineMs + Math.ceil(bytes / MIN_BYTES_PER_MS);
    for (let attempt = 1; ; attempt += 1) {
      const ended = await callS3(dispatcher, target, { ...what, deadlineMs }, signal).catch(
        (error: Error) => error,
      );
      if (!isPassing(ended)) return ended;
      if (attempt === ATTEMPTS || signal.aborted) throw unavailable(place, ended);
      // Half of it at random, so that processes do not come back all at once.
      await sleep(systemTimers, timing.pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  };
}

function targetOf(options: S3Settings & { readonly bucket: string }): S3Target {
  const { accessKeyId, secretAccessKey, sessionToken, region, bucket, pathStyle } = options;
  if (accessKeyId === undefined) throw missing('AWS_ACCESS_KEY_ID');
  if (secretAccessKey === undefined) throw missing('AWS_SECRET_ACCESS_KEY');
  const url = new URL(options.endpoint ?? `https://s3.${region}.amazonaws.com`);
  const base = url.pathname.replace(/\/+$/, '');
  const bucketUrl = pathStyle
    ? `${url.origin}${base}/${bucket}`
    : `${url.protocol}//${bucket}.${url.host}${base}`;
  return { bucketUrl, region, accessKeyId, secretAccessKey, sessionToken };
}

function missing(variable: string): PlainError {
  return new PlainError(`${variable} is not set; an address that begins with s3:// needs it.`);
}

/** The server did not receive what was sent. */
const DAMAGED: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
]);

/** Repeating it may help: no complete answer, or one that says so. */
function isPassing(
  ended: S3Answer | Error,
): ended is Error | (S3Answer & { readonly status: 503 }) {
  if (ended instanceof Error) return true;
  const { status } = ended;
  if (status === 400) return DAMAGED.has(codeOf(ended));
  // A server that is not able to do it will not be able to do it later.
  return status === 429 || (status >= 500 && status !== 501);
}

function unavailable(place: string, ended: S3Answer | Error): PlainError {
  const reason = ended instanceof Error ? ended.message : saidBy(ended);
  const cause = ended instanceof Error ? { cause: ended } : {};
  return new PlainError(`${place} did not answer after ${ATTEMPTS} attempts: ${reason}`, cause);
}

const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Create the bucket first.',
  SignatureDoesNotMatch: 'Correct AWS_SECRET_ACCESS_KEY.',
  InvalidAccessKeyId: 'Correct AWS_ACCESS_KEY_ID.',
  ExpiredToken: 'AWS_SESSION_TOKEN has expired; set new credentials.',
  AccessDenied: 'Allow these credentials to list, read, write and delete objects below the prefix.',
  PermanentRedirect: 'The bucket is in another region: correct AWS_REGION.',
  AuthorizationHeaderMalformed: 'The bucket is in another region: correct AWS_REGION.',
  RequestTimeTooSkewed: 'Correct the clock of this machine.',
};

function refused(place: string, answer: S3Answer): PlainError {
  const advice = ADVICE[codeOf(answer)] ?? '';
  return new PlainError(`${place} refused the request: ${saidBy(answer)} ${advice}`.trim());
}

function rootOf({ body }: S3Answer): XmlElement | undefined {
  const root = readXml(body.toString('utf8'), LIST_LIMITS);
  return 'problem' in root ? undefined : root;
}

function codeOf(answer: S3Answer): string {
  return textAt(rootOf(answer), 'Code') ?? '';
}

function saidBy(answer: S3Answer): string {
  const root = rootOf(answer);
  const texts = [textAt(root, 'Code'), textAt(root, 'Message')].filter((one) => one !== undefined);
  return `HTTP ${answer.status}${texts.length === 0 ? '' : `, ${texts.join(': ')}`}.`;
}

async function listKeys(
  call: Caller,
  { place, prefix, start }: Readonly<Record<'place' | 'prefix' | 'start', string>>,
): Promise<string[]> {
  const names: string[] = [];
  for (let token: string | undefined; ;) {
    const answer = await call({
      method: 'GET',
      key: '',
      query: {
        'list-type': '2',
        prefix: prefix + start,
        ...(token === undefined ? {} : { 'continuation-token': token }),
      },
    });
    const root = rootOf(answer);
    if (answer.status !== 200 || root?.name !== 'ListBucketResult') throw refused(place, answer);
    for (const entry of childrenOf(root, 'Contents')) {
      const key = textAt(entry, 'Key') ?? '';
      if (key.startsWith(prefix) && key !== prefix) names.push(key.slice(prefix.length));
    }
    token = textAt(root, 'NextContinuationToken');
    if (textAt(root, 'IsTruncated') !== 'true' || token === undefined) return names.toSorted();
  }
}
