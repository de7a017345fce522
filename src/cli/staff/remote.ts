import { createReadStream, statSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWireTime } from '../../platform/base/clock.ts';
import { readJson } from '../../platform/base/json.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { programVersion } from '../../platform/program-version.ts';
import { routeOf } from '../../staff/definition.ts';
import type { Cli } from '../cli.ts';
import { jobView, progressText } from '../../staff/job-schema.ts';
import type { JobView } from '../../staff/job-schema.ts';
import { formatOf } from './mount.ts';
import type { Called } from './mount.ts';
import type { Profile } from './profile.ts';
import { saved } from './saved.ts';
import { objectText, shownAnswer } from './shown.ts';

type Values = Readonly<Record<string, unknown>>;

/** Longer than any answer of the service takes. */
const TIMEOUT_MS = 120_000;

/** Runs a definition as one request to the staff API. Loads neither the wings nor the database. */
export async function runRemote(cli: Cli, profile: Profile, called: Called): Promise<void> {
  const { of, options } = called;
  const isFile = of.kind === 'download' || formatOf(called) !== undefined;
  const response = await ask(profile, requestOf(called));
  await cli.runAlone(options, async () => {
    if (isFile) {
      const type = response.headers['content-type'] ?? '';
      const hasFailed = response.headers['malipo-check'] === 'failed';
      return await saved(cli.surroundings, { body: response, type, hasFailed }, options.out);
    }
    const answer = readJson(await text(response)) as Values;
    const zone = String(response.headers['malipo-time-zone'] ?? 'UTC');
    const how = { wireTime: createWireTime(zone), wide: options.wide === true };
    if (of.kind !== 'view' && of.kind !== 'action') return undefined;
    if (of.kind === 'view' || of.isJob !== true) return shownAnswer(of, answer, how);
    if (options.wait === false) return { json: answer, text: objectText(jobView, answer, how) };
    return shownAnswer(of, await resultOf(cli, profile, answer as JobView), how);
  });
}

const POLL_MS = 200;
const MAX_POLL_MS = 2_000;

/** Waits until a job ends. Throws: `PlainError` if it has no result. */
async function resultOf(cli: Cli, profile: Profile, begun: JobView): Promise<Values> {
  let job = begun;
  for (
    let waitMs = POLL_MS;
    job.state === 'running';
    waitMs = Math.min(waitMs * 1.5, MAX_POLL_MS)
  ) {
    if (job.progress !== null) cli.progress.show(progressText(job.progress));
    await sleep(waitMs);
    const response = await ask(profile, { method: 'GET', path: `/jobs/${begun.job}` });
    job = readJson(await text(response)) as JobView;
  }
  if (job.result !== null) return job.result as Values;
  throw new PlainError(
    job.error ?? 'It was interrupted, because its process was stopped or killed. Begin it again.',
  );
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

function requestOf(called: Called): Asked {
  const { of, input, by } = called;
  const format = formatOf(called);
  const { method, path: own, names } = routeOf(of);
  const filled = own.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const rest = Object.entries(input).filter(([name]) => !names.includes(name));
  const at = `${filled}${format === undefined ? '' : `.${format}`}`;
  const headers = { ...(by !== undefined && { 'x-malipo-person': by }) };
  const { file: sent } = of;
  if (sent !== undefined) {
    const file = String(input[sent.name]);
    const { size } = statSync(file);
    if (size > sent.maxBytes) {
      throw new PlainError(
        `${file} is larger than ${sent.maxBytes} bytes. Import it on the machine of the service.`,
      );
    }
    const query = queryOf(
      rest.map(([name, value]) => [name, name === sent.name ? path.basename(file) : value]),
    );
    const length = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    return {
      method,
      path: at + query,
      body: createReadStream(file),
      headers: { ...headers, ...length },
    };
  }
  if (method === 'GET') return { method, path: at + queryOf(rest), headers };
  return { method, path: at, body: JSON.stringify(Object.fromEntries(rest)), headers };
}

function queryOf(pairs: readonly (readonly [string, unknown])[]): string {
  const query = new URLSearchParams(
    pairs.flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    ),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

/** The answer, whose status is 2xx. Throws: a refusal of the service as it is; `PlainError` without an answer. */
export async function ask(
  { url, token }: Pick<Profile, 'url'> & { readonly token?: string },
  { method, path: at, body, headers = {} }: Asked,
): Promise<http.IncomingMessage> {
  const send = url.startsWith('https:') ? https.request : http.request;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = send(`${url}/admin/v1${at}`, {
      method,
      timeout: TIMEOUT_MS,
      headers: {
        'user-agent': `malipo/${programVersion()}`,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    request.on('response', resolve).on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', (cause) => {
      reject(
        new PlainError(`The service at ${url} cannot be reached: ${cause.message}`, { cause }),
      );
    });
    if (typeof body === 'object') body.on('error', (error) => request.destroy(error)).pipe(request);
    else request.end(body);
  });
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return response;
  throw refusalOf(await text(response), statusCode, url);
}

/** As commands in process meet it, without loading where it is defined. */
function refusalOf(body: string, status: number, url: string): Error {
  const { error } = parsed(body);
  if (typeof error?.code !== 'string') {
    return new PlainError(`The service at ${url} answered with status ${status}.`);
  }
  const { code, text: says, field } = error;
  return Object.assign(new Error(says), {
    name: 'Refusal',
    code,
    ...(typeof field === 'string' && { field }),
  });
}

function parsed(body: string): {
  readonly error?: {
    readonly code?: string;
    readonly text?: string;
    readonly field?: string | null;
  };
} {
  try {
    return readJson(body) as object;
  } catch {
    return {};
  }
}
