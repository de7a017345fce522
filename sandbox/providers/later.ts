import { request } from 'node:http';

/** Work that an emulator does after it has answered. */
export class Later {
  #pending = 0;
  readonly #waiting = new Set<() => void>();

  /** Runs the work after the delay; failures are the receiver's, and ignored. */
  run(delayMs: number, work: () => void | Promise<void>): void {
    this.#pending += 1;
    setTimeout(() => {
      Promise.resolve()
        .then(work)
        .catch(() => undefined)
        .finally(() => this.#end());
    }, delayMs);
  }

  /** Resolves when nothing is left to do. */
  async quiet(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #end(): void {
    this.#pending -= 1;
    if (this.#pending > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

const TIMEOUT_MS = 5_000;

/** POSTs JSON once, as providers do that never repeat a callback. */
export async function postJson(url: string, content: unknown): Promise<number> {
  return await postSigned(url, JSON.stringify(content), {});
}

/** The same, with a body that was signed, and its signature in headers. */
export async function postSigned(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const posting = request(url, {
      method: 'POST',
      timeout: TIMEOUT_MS,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    posting.once('error', reject);
    posting.once('timeout', () => posting.destroy(new Error('no answer')));
    posting.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    posting.end(body);
  });
}
