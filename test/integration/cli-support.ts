import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/cli/program.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Parses stdout, which must be one JSON document; the caller gives the expected type. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  json<Document = Record<string, unknown>>(): Document;
}

export type Environment = Readonly<Record<string, string>>;

/** A master key such as `openssl rand -base64 32` prints. */
export function newMasterKey(): string {
  return randomBytes(32).toString('base64');
}

/** The keys that the service reads from a master key without a previous one. */
export function keysOf(masterKey: string): MasterKeys {
  return { current: Buffer.from(masterKey, 'base64'), previous: undefined };
}

const ENTRY = path.resolve(import.meta.dirname, '../../src/cli/malipo.ts');

/** Runs the real program. It gets only the path from this process's environment. */
export async function malipo(environment: Environment, ...args: string[]): Promise<Ran> {
  return await ended(start(environment, args));
}

/** Runs the real program with a standard input that stays open, as a terminal does. */
export async function malipoTyped(
  environment: Environment,
  line: string,
  ...args: string[]
): Promise<Ran> {
  return await ended(start(environment, args, line));
}

async function ended(child: ReturnType<typeof start>): Promise<Ran> {
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'exit') : undefined,
  ]);
  return ran(child.exitCode, stdout, stderr);
}

/** Runs the real program and reads only the beginning of its output, as `head` does. */
export async function malipoCutShort(environment: Environment, ...args: string[]): Promise<Ran> {
  const child = start(environment, args);
  const stderr = text(child.stderr);
  const [beginning] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.destroy();
  if (child.exitCode === null) await once(child, 'exit');
  return ran(child.exitCode, beginning.toString('utf8'), await stderr);
}

function start(environment: Environment, args: readonly string[], line?: string) {
  const child = spawned(environment, args);
  if (line === undefined) child.stdin.end();
  else child.stdin.write(line);
  return child;
}

function spawned(environment: Environment, args: readonly string[]) {
  return spawn(process.execPath, [...NODE_OPTIONS, ENTRY, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The same in this process, which is quicker. */
export async function inProcess(environment: Environment, ...args: string[]): Promise<Ran> {
  return await withInput('', environment, ...args);
}

/** @param input standard input: text, or a stream. */
export async function withInput(
  input: string | Readable,
  environment: Environment,
  ...args: string[]
): Promise<Ran> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const exitCode = await runCli(args, {
    stdin: typeof input === 'string' ? Readable.from([input]) : input,
    stdout: { write: (some) => stdout.push(some) },
    stderr: { write: (some) => stderr.push(some) },
    environment,
  });
  return ran(exitCode, stdout.join(''), stderr.join(''));
}

function ran(exitCode: number | null, stdout: string, stderr: string): Ran {
  return {
    exitCode,
    stdout,
    stderr,
    json: () => {
      if (exitCode !== 0 && stdout === '') throw new Error(`exit code ${exitCode}: ${stderr}`);
      return JSON.parse(stdout) as never;
    },
  };
}

/** Runs a command that answers with a new security key, and returns the key. */
export async function newKey(
  environment: Environment,
  ...args: readonly (string | readonly string[])[]
): Promise<string> {
  const done = await must(environment, ...args, '--json');
  return done.json<{ secret: string }>().secret;
}

/** Adds an operator with a key and a biller `water` (minimum 50.00) and `tv`, which needs a phone. */
export async function addBillers(environment: Environment, baseUrl: string): Promise<void> {
  await must(environment, 'operator', 'set', 'waterworks', '--name', 'Water Works', [
    '--connector',
    'http-json',
    '--base-url',
    baseUrl,
  ]);
  await must(environment, 'operator', 'set-key', 'waterworks');
  const biller = ['--operator', 'waterworks', '--minimum', '50', '--category', 'water'];
  await must(environment, 'biller', 'set', 'water', '--name', 'City Water', biller);
  await must(environment, 'biller', 'set', 'tv', '--name', 'City TV', [...biller, '--phone']);
}

/** Runs a command that has to succeed. */
export async function must(
  environment: Environment,
  ...args: readonly (string | readonly string[])[]
): Promise<Ran> {
  const done = await inProcess(environment, ...args.flat());
  if (done.exitCode !== 0) throw new Error(`${args.flat().join(' ')}: ${done.stderr}`);
  return done;
}

/** What `credit` proposes, approved by another person; or the refusal of the proposal. */
export async function creditByTwo(environment: Environment, ...args: string[]): Promise<Ran> {
  const grounds = ['--evidence', 'File 7', '--by', 'Asha', '--json'];
  const proposed = await inProcess(environment, 'credit', ...args, ...grounds);
  if (proposed.exitCode !== 0) return proposed;
  const { proposal, seen } = proposed.json<{ proposal: string; seen: string }>();
  return await inProcess(
    environment,
    ...['proposal', 'approve', proposal, '--by', 'Baraka', '--seen', seen],
  );
}

/** An import that Asha proposes: the words of Baraka's approval. */
export async function approvalOf(
  environment: Environment,
  ...args: (string | readonly string[])[]
): Promise<string[]> {
  const made = await must(environment, ...args.flat(), '--by', 'Asha', '--json');
  const answer = made.json<Readonly<Record<string, unknown>>>();
  const { proposal, seen } = (
    typeof answer['proposal'] === 'object' ? answer['proposal'] : answer
  ) as Readonly<Record<string, unknown>>;
  if (typeof seen !== 'string') throw new Error(`nothing waits: ${made.stdout}`);
  return ['proposal', 'approve', String(proposal), '--by', 'Baraka', '--seen', seen];
}

/** The same, approved. The answer has what was carried out. */
export async function importByTwo(
  environment: Environment,
  ...args: (string | readonly string[])[]
): Promise<Ran> {
  return await must(environment, ...(await approvalOf(environment, ...args)), '--json');
}

/** What the answer of a proposal shows under a label. */
export function shownIn(answer: Ran, label: string): string | null | undefined {
  const { shown } = answer.json<{
    shown: { label: string; text: string | null; amount: string | null }[];
  }>();
  const line = shown.find((each) => each.label === label);
  return line && (line.text ?? line.amount);
}
