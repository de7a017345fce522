import { request } from 'node:http';
import { text } from 'node:stream/consumers';

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

/** What the receiver of a callback answered. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** POSTs JSON once, as providers do that never repeat a callback. */
export async function postJson(url: string, content: unknown): Promise<Reply> {
  return await postSigned(url, JSON.stringify(content), {});
}

/** The same, with a body that was signed, and its signature in headers. */
export async function postSigned(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  return await post(url, body, { ...headers, 'content-type': 'application/json' });
}

export async function postXml(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  return await post(url, body, { ...headers, 'content-type': 'application/xml' });
}

export async function postForm(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Reply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return await post(url, new URLSearchParams(form).toString(), headers);
}

async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
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
