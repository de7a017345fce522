import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import document from '../../openapi.json' with { type: 'json' };
import { ERRORS, Refusal } from '../../src/platform/base/errors.ts';
import type { ErrorCode } from '../../src/platform/base/errors.ts';
import { refusalBody } from '../../src/platform/http/errors.ts';

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  /** Of the query and of a form. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, arrived: Arrived) => void;

/** A server that answers each request with the next reply. */
export interface ScriptedService {
  readonly origin: string;
  readonly arrived: readonly Arrived[];
  /** Forgets what arrived, and replies with these from now on. After the last, the last again. */
  play(...replies: readonly [Reply, ...Reply[]]): void;
  close(): Promise<void>;
}

export async function startScriptedService(): Promise<ScriptedService> {
  let arrived: Arrived[] = [];
  let replies: readonly Reply[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const url = new URL(request.url ?? '', 'http://service');
      const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
      const pairs = [...url.searchParams, ...(isForm ? new URLSearchParams(body) : [])];
      const params = Object.fromEntries(pairs);
      const { method = '', headers } = request;
      const one = { method, path: url.pathname, params, headers, body };
      arrived.push(one);
      replies[Math.min(arrived.length, replies.length) - 1]?.(response, one);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get arrived() {
      return arrived;
    },
    play: (...next) => {
      arrived = [];
      replies = next;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Described {
  readonly operationId: string;
  readonly responses: {
    readonly 200: { readonly content: Record<string, { readonly example: unknown }> };
  };
}

const paths = document.paths as unknown as Readonly<
  Record<string, Readonly<Record<string, Described>>>
>;

/**
 * The example of the answer in `openapi.json`; a text is a file.
 * @param method default: the one that there is.
 */
export function exampleOf(path: string, method = ''): Readonly<Record<string, unknown>> | string {
  const methods = paths[path] ?? paths[templateOf(path)];
  const described = methods?.[method.toLowerCase()] ?? methods?.['get'] ?? methods?.['post'];
  const content = described?.responses[200].content ?? {};
  const example = (content['application/json'] ?? Object.values(content)[0])?.example;
  if (example === undefined) throw new Error(`openapi.json has no example for ${path}`);
  return example as Readonly<Record<string, unknown>> | string;
}

function templateOf(path: string): string {
  const isAt = (template: string): boolean =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.keys(paths).find((template) => template.includes('{') && isAt(template)) ?? '';
}

/** The example of `openapi.json` for the request. */
export const ok: Reply = (response, { path, method }) => {
  const example = exampleOf(path, method);
  if (typeof example !== 'string') json(response, 200, example);
  else {
    const type = example.startsWith('%PDF') ? 'application/pdf' : 'text/csv; charset=utf-8';
    response.writeHead(200, { 'content-type': type }).end(example);
  }
};

/** The first answer again. */
export const replayed: Reply = (response, arrived) => {
  response.setHeader('idempotency-replayed', 'true');
  ok(response, arrived);
};

export function refuse(code: ErrorCode, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    const requestId = '019b76da-c740-7a5e-8b6d-2c90f1d3e457';
    const refusal = new Refusal(code, { field: 'amount', reference: 'EARLIER' });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    json(response, ERRORS[code].status, refusalBody(refusal, { requestId }));
  };
}

/** 503, and the client should come back at once. */
export function busy(code: ErrorCode = 'unavailable'): Reply {
  return refuse(code, { 'retry-after': '0' });
}

/** Closes the connection after the request was read. */
export const drop: Reply = (response) => {
  response.socket?.destroy();
};

/** Closes the connection in the middle of the answer. */
export const cut: Reply = (response, { path }) => {
  const text = JSON.stringify(exampleOf(path));
  response.writeHead(200, { 'content-length': text.length });
  response.write(text.slice(0, 20), () => response.socket?.destroy());
};

/** Never answers. */
export const hang: Reply = () => undefined;

/** Answers with a header, then one byte of the body after the other, for ever. */
export const drip: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

export function page(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => response.writeHead(status, headers).end('<html>not the service</html>');
}

/**
 * A status answer with this status.
 * @param more of its fields.
 */
export function payment(status: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  return (response, { path }) => {
    const example = exampleOf(path) as { readonly msg: Record<string, unknown> };
    const msg = { ...example.msg, transaction_status: status, ...more };
    json(response, 200, { ...example, msg });
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
