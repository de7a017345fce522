import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { headerOf, withHeader } from './header-signature.ts';
import type { Sandbox } from './sandbox.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { until } from './until.ts';
import { send } from './vendor-client.ts';
import type { Answer, VendorClient } from './vendor-client.ts';

type Body = Readonly<Record<string, unknown>>;

/** A vendor's program that uses the controls. */
export interface Controls {
  /** The answer, whatever it is. */
  send(
    method: string,
    path: string,
    body?: Body,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** The body of a success. Throws for a refusal. */
  ask<Found = Body>(method: string, path: string, body?: Body): Promise<Found>;
}

export function controlsOf(
  { origin }: Pick<Sandbox, 'origin'>,
  { vid, key }: Pick<VendorClient, 'vid' | 'key'>,
): Controls {
  const request: Controls['send'] = async (method, location, body, headers = {}) => {
    const asked = {
      method,
      path: `/sandbox${location}?vid=${vid}`,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return await send(origin, withHeader(asked, headerOf(asked, { key })));
  };
  return {
    send: request,
    ask: async (method, location, body) => {
      const answer = await request(method, location, body);
      if (answer.status !== 200) throw new Error(`${method} ${location}: ${answer.text}`);
      return answer.body as never;
    },
  };
}

/** A running `malipo listen`. */
export interface Listener {
  /** Each event that was forwarded. */
  readonly lines: () => readonly Readonly<Record<string, unknown>>[];
  readonly notes: () => string;
  readonly secret: string;
  /** Ctrl-C. Returns the exit code. */
  interrupt(): Promise<number | null>;
}

const ENTRY = path.resolve(import.meta.dirname, '../../src/cli/malipo.ts');

export async function startListening(
  { origin }: Pick<Sandbox, 'origin'>,
  forwardTo: string,
  ...options: string[]
): Promise<Listener> {
  const args = ['listen', '--json', '--forward-to', forwardTo, ...options];
  const child = spawn(process.execPath, [...NODE_OPTIONS, ENTRY, ...args], {
    env: { PATH: process.env['PATH'], PORT: new URL(origin).port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let notes = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (notes += text));
  const secret = await until('it listens', () => {
    if (child.exitCode !== null) throw new Error(notes);
    return /signed with (whsec_\S+)/.exec(notes)?.[1];
  });
  return {
    lines: () =>
      printed
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    notes: () => notes,
    secret,
    interrupt: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGINT');
      await gone;
      return child.exitCode;
    },
  };
}
