import { DEMO_PASSWORD } from '../../sandbox/data.ts';

export interface ConsoleAnswer {
  readonly status: number;
  /** The parsed JSON; empty for any other body. */
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Headers;
  /** The code of a refusal. */
  readonly code: string | undefined;
}

/** Calls the console's API as the pages do, and keeps the session cookie. */
export class ConsoleClient {
  readonly #origin: string;
  cookie = '';

  constructor(origin: string) {
    this.#origin = origin;
  }

  async signIn(login: string, password = DEMO_PASSWORD, code?: string): Promise<ConsoleAnswer> {
    return await this.send('POST', '/session', { login, password, code });
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ConsoleAnswer> {
    return await this.send('GET', path, undefined, headers);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleAnswer> {
    const response = await fetch(`${this.#origin}/console/api${path}`, {
      method,
      headers: {
        'x-malipo-console': '1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';', 1)[0] ?? '';
    // Server-sent events never end.
    const isLive = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isLive) await response.body?.cancel();
    const text = isLive ? '' : await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
    const error = answer['error'] as readonly { code: string }[] | undefined;
    const { status } = response;
    return { status, body: answer, text, headers: response.headers, code: error?.[0]?.code };
  }
}
