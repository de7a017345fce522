import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { contentTypeOf, sentBody } from './sent-body.ts';

export interface ConsoleAnswer {
  readonly status: number;
  /** The parsed JSON; empty for any other body. */
  readonly body: Record<string, unknown>;
  readonly text: string;
  /** Of a file. */
  readonly bytes: Buffer;
  readonly headers: Headers;
  /** The code of a refusal. */
  readonly code: string | undefined;
  /** The field that it names. */
  readonly field: string | undefined;
  /** Its text for people. */
  readonly problem: string | undefined;
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

  /** The answer's body. Throws: `Error` if it is a refusal. */
  async read<Answer>(path: string): Promise<Answer> {
    const { status, body, text } = await this.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body as unknown as Answer;
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
        ...contentTypeOf(body),
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...headers,
      },
      ...sentBody(body),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';', 1)[0] ?? '';
    // Server-sent events never end.
    const isLive = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isLive) await response.body?.cancel();
    const bytes = isLive ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
    // Without the byte order mark, as `response.text()` gives it.
    const text = new TextDecoder().decode(bytes);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
    const [error] = (answer['error'] ?? []) as readonly {
      readonly code: string;
      readonly text: string;
      readonly field?: string;
    }[];
    const { status, headers: answered } = response;
    return {
      ...{ status, body: answer, text, bytes, headers: answered },
      ...{ code: error?.code, field: error?.field, problem: error?.text },
    };
  }
}

/** A client with this person of the sandbox signed in. */
export async function signedIn(origin: string, login: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(origin);
  const { status, text } = await client.signIn(login);
  if (status !== 200) throw new Error(`${login} cannot sign in: ${text}`);
  return client;
}

/** The client of the person with this login. */
export type SignedIn = (login: string) => ConsoleClient;

/** The same for several people. Returns their clients by login. */
export async function signInAll(origin: string, logins: readonly string[]): Promise<SignedIn> {
  const people = new Map<string, ConsoleClient>();
  for (const login of logins) people.set(login, await signedIn(origin, login));
  return (login) => {
    const client = people.get(login);
    if (client === undefined) throw new Error(`${login} is not signed in`);
    return client;
  };
}
