import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ClientResult } from './client.ts';
import { shareCore } from './one-core.ts';
import { writeRequests } from './requests.ts';
import type { SignedRequest } from './requests.ts';

const run = promisify(execFile);

export interface Load {
  readonly port: number;
  readonly requests: readonly SignedRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second, whether or not answers arrive; absent: as fast as answers arrive. */
  readonly rate?: number;
  /** Folder for the file of requests. */
  readonly folder: string;
  /** The server’s process, to measure its CPU without what waking the load generator costs. */
  readonly sharesCoreOf?: number;
}

export interface Driven extends ClientResult {
  /** Answers per second within the time. */
  readonly rate: number;
}

let wrkFound: boolean | undefined;

/** Looks for wrk once. */
export async function hasWrk(): Promise<boolean> {
  wrkFound ??= await run('wrk', ['-v']).then(
    () => true,
    // It prints its version and fails.
    (error: { code?: unknown }) => error.code !== 'ENOENT',
  );
  return wrkFound;
}

/**
 * Drives a server from another process.
 * Throws when an answer is missing or is a refusal: the figure would be meaningless.
 */
export async function drive(load: Load): Promise<Driven> {
  const file = path.join(load.folder, 'requests.txt');
  await writeRequests(file, load.requests);
  const byWrk = load.rate === undefined && (await hasWrk());
  const { stdout } = byWrk ? await runWrk(load, file) : await runClient(load, file);
  const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as ClientResult;
  if (result.ranOut > 0) throw new Error(`${load.requests.length} requests were too few`);
  if (result.refused > 0 || result.broken > 0 || result.answered !== result.sent) {
    throw new Error(`not every request was served: ${JSON.stringify(result)}`);
  }
  // When the time was over, each connection had one request in progress.
  const within = result.sent - (load.rate === undefined ? load.connections : 0);
  return { ...result, rate: within / load.seconds };
}

async function runWrk(load: Load, file: string): Promise<{ stdout: string }> {
  return await runGenerator(load, 'wrk', [
    ...['-t', '1', '-c', String(load.connections), '--timeout', '20s'],
    // A second for the last answers.
    ...['-d', `${load.seconds + 1}s`, '-s', path.join(import.meta.dirname, 'wrk.lua')],
    ...[`http://127.0.0.1:${load.port}/`, '--', file, String(load.seconds)],
  ]);
}

async function runClient(load: Load, file: string): Promise<{ stdout: string }> {
  const { port, connections, seconds, rate } = load;
  const options = { port, file, connections, seconds, ...(rate === undefined ? {} : { rate }) };
  return await runGenerator(load, process.execPath, [
    path.join(import.meta.dirname, 'client.ts'),
    JSON.stringify(options),
  ]);
}

async function runGenerator(
  { sharesCoreOf }: Load,
  program: string,
  args: readonly string[],
): Promise<{ stdout: string }> {
  const prefix = sharesCoreOf === undefined ? [] : await shareCore(sharesCoreOf);
  const [command = program, ...rest] = [...prefix, program, ...args];
  return await run(command, rest);
}
