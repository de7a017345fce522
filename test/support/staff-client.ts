import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { contentTypeOf, sentBody } from './sent-body.ts';

export interface StaffAnswer {
  readonly status: number;
  /** The parsed JSON; empty for any other body. */
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Headers;
  /** The code, the field and the text of a refusal. */
  readonly code: string | undefined;
  readonly field: string | undefined;
  readonly problem: string | undefined;
}

/** Calls the staff API with a token. */
export class StaffClient {
  readonly #origin: string;
  readonly token: string | undefined;

  constructor(origin: string, token?: string) {
    this.#origin = origin;
    this.token = token;
  }

  async get(path: string): Promise<StaffAnswer> {
    return await this.send('GET', path);
  }

  async post(
    path: string,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StaffAnswer> {
    return await this.send('POST', path, body, headers);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StaffAnswer> {
    const response = await fetch(`${this.#origin}/admin/v1${path}`, {
      method,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...contentTypeOf(body),
        ...headers,
      },
      ...sentBody(body),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
    const {
      code,
      field,
      text: problem,
    } = (answer['error'] ?? {}) as {
      readonly code?: string;
      readonly field?: string;
      readonly text?: string;
    };
    const { status, headers: answered } = response;
    return { status, body: answer, text, headers: answered, code, field, problem };
  }
}

/** A client with the token of a person of the sandbox. */
export async function staffSignedIn(origin: string, login: string): Promise<StaffClient> {
  const body = { login, password: DEMO_PASSWORD };
  const started = await new StaffClient(origin).post('/session', body);
  if (started.status !== 200) throw new Error(`${login} cannot sign in: ${started.text}`);
  return new StaffClient(origin, String(started.body['token']));
}
