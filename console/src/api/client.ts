/** The service refused a request, or could not be reached. */
export class ApiError extends Error {
  /** HTTP status; 0 if no answer arrived. */
  readonly status: number;
  /** The code of the refusal; `unreachable` if no answer arrived. */
  readonly code: string;
  /** The field of the form at fault. */
  readonly field: string | undefined;
  /** Support finds the request in the log by it. */
  readonly requestId: string | undefined;

  constructor(
    text: string,
    about: {
      readonly status: number;
      readonly code: string;
      readonly field?: string | undefined;
      readonly requestId?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(text, { cause: about.cause });
    this.status = about.status;
    this.code = about.code;
    this.field = about.field;
    this.requestId = about.requestId;
  }
}

export type QueryValues = Readonly<Record<string, string | number | undefined>>;

/** The URL of a path of the console's API, wherever the console is mounted. */
export function apiUrl(path: string, query: QueryValues = {}): string {
  const url = new URL(`api${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** Reads. Throws: `ApiError`. */
export async function get<Answer>(
  path: string,
  query: QueryValues = {},
  signal?: AbortSignal,
): Promise<Answer> {
  return await request<Answer>(apiUrl(path, query), { method: 'GET', signal: signal ?? null });
}

/** Changes something, or asks with personal data, which must not be in a URL. Throws: `ApiError`. */
export async function send<Answer>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: unknown = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const init = { method, body: JSON.stringify(body), signal: signal ?? null };
  return await request<Answer>(apiUrl(path), init, { 'content-type': 'application/json' });
}

/** Other sites cannot send this header without asking first, so the server requires it. */
const OWN_PAGE_HEADER = { 'x-malipo-console': '1' };

async function request<Answer>(
  url: string,
  init: RequestInit,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      credentials: 'same-origin',
      headers: { accept: 'application/json', ...OWN_PAGE_HEADER, ...headers },
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError('The service cannot be reached', { status: 0, code: 'unreachable', cause });
  }
  if (response.status === 204) return undefined as Answer;
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as Answer;
  throw refusalOf(response, body);
}

function refusalOf(response: Response, body: unknown): ApiError {
  const { error } = (body ?? {}) as {
    readonly error?: readonly { code: string; text: string; field?: string }[];
  };
  const first = error?.[0];
  return new ApiError(first?.text ?? `The service answered with status ${response.status}`, {
    status: response.status,
    code: first?.code ?? 'unexpected_answer',
    field: first?.field,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}
