import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startRecordingServer } from './recording-server.ts';
import type { Recorded } from './recording-server.ts';

/** What an emulated provider answered. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the answer, or its text. */
  readonly body: unknown;
}

/** An emulator behind a port, and a server that receives its callbacks. */
export interface EmulatedProvider {
  readonly origin: string;
  /** Where it calls back. */
  readonly callbackOrigin: string;
  /** Headers of every call, such as the token. */
  readonly headers: Record<string, string>;
  call(method: string, path: string, body?: unknown): Promise<Answered>;
  /** The callbacks so far, after the emulator has done everything. */
  callbacks(): Promise<readonly Recorded[]>;
  close(): Promise<void>;
}

export async function startEmulatedProvider(
  emulator: { readonly later: { quiet(): Promise<void> } },
  listener: RequestListener,
): Promise<EmulatedProvider> {
  const receiver = await startRecordingServer(() => ({}));
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers: Record<string, string> = {};
  return {
    origin,
    callbackOrigin: receiver.origin,
    headers,
    call: async (method, path, body) => {
      const answer = await fetch(new URL(path, origin), {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parsed(text) };
    },
    callbacks: async () => {
      await emulator.later.quiet();
      return receiver.requests;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await receiver.close();
    },
  };
}

/** The names and types of a value: what a documented sample says of each field. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
