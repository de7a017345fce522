import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { createSessions } from '../../src/parties/people/sessions.ts';
import { findPerson } from '../../src/parties/people/read-people.ts';
import { systemClock } from '../../src/platform/base/clock.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import type { Pool } from '../../src/platform/db/pool.ts';

/** A request of a page. */
interface Asked {
  readonly path: string;
  readonly body?: object;
}

/** A person with pages of the console open. */
export interface Person {
  /** The answer as it comes. @param body of a POST; default: it is a GET. */
  send(path: string, body?: object, signal?: AbortSignal): Promise<Response>;
  /**
   * How long the answer took, in milliseconds, and what it was.
   * @param body of a POST; default: it is a GET.
   */
  read(
    path: string,
    body?: object,
  ): Promise<{
    readonly ms: number;
    readonly status: number;
    readonly answer: Record<string, unknown>;
  }>;
  /** Watches the first page, and reads these paths in turns, until `stop` ends it. */
  watch(paths: readonly Asked[], everyMs: number): { readonly stop: () => Promise<void> };
}

/** Signs a person in without password and code, which are not what is measured. Returns the session’s token. */
export async function startSession(
  pool: Pool,
  { login, masterKeys }: { readonly login: string; readonly masterKeys: MasterKeys },
): Promise<string> {
  const found = await findPerson(pool, login);
  if (found === undefined) throw new Error(`there is no person ${login}`);
  const ledgerMac = await openLedgerMac(pool, masterKeys);
  const sessions = createSessions({ pool, ledgerMac, masterKeys, clock: systemClock });
  const { personId } = found;
  const { token } = await sessions.start({ personId, address: '127.0.0.1', browser: 'bench' });
  return token;
}

/** Signs a person in, as `startSession` does. */
export async function signInPerson(
  pool: Pool,
  { port, ...who }: { readonly port: number } & Parameters<typeof startSession>[1],
): Promise<Person> {
  return personOfSession(port, await startSession(pool, who));
}

/** The person whose session it is. */
export function personOfSession(port: number, token: string): Person {
  const base = `http://127.0.0.1:${port}/console/api`;
  const headers = { cookie: `malipo=${token}`, 'x-malipo-console': '1' };
  const send: Person['send'] = async (path, body, signal) =>
    await fetch(`${base}${path}`, {
      signal: signal ?? null,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  const read: Person['read'] = async (path, body) => {
    const startedAt = performance.now();
    const response = await send(path, body);
    const text = await response.text();
    const ms = performance.now() - startedAt;
    // What takes too long is unavailable in the end, which counts as that long.
    const isAnswer = response.ok || response.status === 503;
    if (!isAnswer) throw new Error(`${path}: ${response.status} ${text}`);
    return { ms, status: response.status, answer: JSON.parse(text) as Record<string, unknown> };
  };
  return {
    send,
    read,
    watch: (paths, everyMs) => {
      const ending = new AbortController();
      const { signal } = ending;
      const events = stream(`${base}/home/events`, { headers, signal });
      const reads = readInTurns(paths, { read, everyMs, signal });
      return {
        stop: async () => {
          ending.abort();
          await Promise.all([events, reads]);
        },
      };
    },
  };
}

async function stream(url: string, init: RequestInit): Promise<void> {
  try {
    const response = await fetch(url, init);
    if (response.body !== null) for await (const _ of response.body);
  } catch (error) {
    if (init.signal?.aborted !== true) throw error;
  }
}

async function readInTurns(
  paths: readonly Asked[],
  by: { readonly read: Person['read']; readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  for (let turn = 0; !by.signal.aborted; turn += 1) {
    const { path = '/home', body } = paths[turn % paths.length] ?? {};
    await by.read(path, body);
    await new Promise((resolve) => setTimeout(resolve, by.everyMs));
  }
}
