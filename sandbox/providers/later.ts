import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Memory, Table } from './memory.ts';

/** After a start: those who are called back may be starting at the same time. */
const RESUME_MS = 3_000;

interface Planned<Task> {
  readonly dueAtMs: number;
  readonly task: Task;
}

/**
 * Work that an emulator does after it has answered. It is kept in the emulator's memory: a kill
 * delays it, and repeats what was being done.
 */
export class Later<Task> {
  #pending = 0;
  readonly #waiting = new Set<() => void>();
  readonly #planned: Table<Planned<Task>>;
  readonly #perform: (task: Task) => void | Promise<void>;

  /** @param perform its failures are the receiver's, and ignored. */
  constructor(memory: Memory, perform: (task: Task) => void | Promise<void>) {
    this.#planned = memory.table('tasks');
    this.#perform = perform;
    for (const [id, { dueAtMs, task }] of this.#planned.entries()) {
      this.#start(String(id), { task, dueAtMs: Math.max(dueAtMs, Date.now() + RESUME_MS) });
    }
  }

  run(delayMs: number, task: Task): void {
    const id = randomUUID();
    const planned = { dueAtMs: Date.now() + delayMs, task };
    this.#planned.put(id, planned);
    this.#start(id, planned);
  }

  /** Resolves when nothing is left to do. */
  async quiet(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #start(id: string, { dueAtMs, task }: Planned<Task>): void {
    this.#pending += 1;
    setTimeout(
      () => {
        Promise.resolve()
          .then(async () => await this.#perform(task))
          .catch(() => undefined)
          .finally(() => this.#end(id));
      },
      Math.max(0, dueAtMs - Date.now()),
    );
  }

  #end(id: string): void {
    this.#planned.drop(id);
    this.#pending -= 1;
    if (this.#pending > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

const TIMEOUT_MS = 5_000;

/** The receiver's answer to a callback. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A callback that waits to be sent. */
export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function jsonPost(url: string, content: unknown): Post {
  return signedPost(url, JSON.stringify(content), {});
}

/** Builds a post whose body is signed, with the signature in headers. */
export function signedPost(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Post {
  return { url, body, headers: { ...headers, 'content-type': 'application/json' } };
}

export function xmlPost(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Post {
  return { url, body, headers: { ...headers, 'content-type': 'application/xml' } };
}

export function formPost(url: string, form: Readonly<Record<string, string>>): Post {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { url, body: new URLSearchParams(form).toString(), headers };
}

/** Sends it once, as providers do that never repeat a callback. */
export async function post({ url, body, headers }: Post): Promise<Reply> {
  return await new Promise((resolve, reject) => {
    const posting = request(url, {
      method: 'POST',
      timeout: TIMEOUT_MS,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    posting.once('error', reject);
    posting.once('timeout', () => posting.destroy(new Error('no answer')));
    posting.once('response', (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, body: answer }),
        reject,
      );
    });
    posting.end(body);
  });
}
