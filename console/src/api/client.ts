import { noteConnection } from './connection.ts';

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

/** Sends the file of a form. The form’s texts are in the query, replaced by those given. Throws: `ApiError`. */
export async function sendFile<Answer>(
  path: string,
  form: FormData,
  given: QueryValues = {},
): Promise<Answer> {
  const query: Record<string, string | number | undefined> = {};
  let sent = new File([], '');
  for (const [name, value] of form) {
    if (value instanceof File) sent = value;
    else query[name] = value;
  }
  const init = { method: 'POST', body: sent };
  const type = { 'content-type': 'application/octet-stream' };
  return await request<Answer>(apiUrl(path, { ...query, ...given, file: sent.name }), init, type);
}

/**
 * Saves the answer as a file, with the name that the service gives it. For files that are asked for
 * with personal data, which must not be in a URL; others are links. Throws: `ApiError`.
 */
export async function download(path: string, body: unknown): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify(body) };
  const response = await fetchOwn(apiUrl(path), init, { 'content-type': 'application/json' });
  const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '');
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = named?.[1] ?? '';
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(url), SAVING_MS);
}

const SAVING_MS = 60_000;

let shownPerson = (): string | undefined => undefined;

/** Says whose pages are shown, so that the service refuses to act for somebody else who signed in meanwhile. */
export function onAsking(loginOf: () => string | undefined): void {
  shownPerson = loginOf;
}

/** Other sites cannot send this header without asking first, so the server requires it. */
const OWN_PAGE_HEADER = { 'x-malipo-console': '1' };

async function request<Answer>(
  url: string,
  init: RequestInit,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetchOwn(url, init, headers);
  if (response.status === 204) return undefined as Answer;
  return (await response.json().catch(() => undefined)) as Answer;
}

/** Asks only whether the service answers. */
export async function askConnection(): Promise<void> {
  await get('/session').catch(() => undefined);
}

/** Throws: `ApiError`, also if the service refuses. */
async function fetchOwn(
  url: string,
  init: RequestInit,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const askedAtMs = performance.now();
  const person = shownPerson();
  const shown = person === undefined ? {} : { 'x-malipo-person': person };
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      credentials: 'same-origin',
      headers: { accept: 'application/json', ...OWN_PAGE_HEADER, ...shown, ...headers },
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    noteConnection('unreachable', askedAtMs);
    throw new ApiError('The service cannot be reached', { status: 0, code: 'unreachable', cause });
  }
  if (!response.ok) {
    throw refusalOf(response, await response.json().catch(() => undefined), askedAtMs);
  }
  noteConnection('good', askedAtMs);
  return response;
}

function refusalOf(response: Response, body: unknown, askedAtMs: number): ApiError {
  const { error } = (body ?? {}) as {
    readonly error?: readonly { code: string; text: string; field?: string }[];
  };
  const first = error?.[0];
  // A proxy answers for a service that is away with a page of its own.
  const isAway = first === undefined ? response.status >= 502 : first.code === 'unavailable';
  noteConnection(isAway ? 'unavailable' : 'good', askedAtMs);
  return new ApiError(first?.text ?? `The service answered with status ${response.status}`, {
    status: response.status,
    code: first?.code ?? 'unexpected_answer',
    field: first?.field,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}
