import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Webhook } from 'standardwebhooks';
import { validateAccount } from './accounts.ts';
import { amountText } from './amounts.ts';
import type { Answer } from './answers.ts';
import type { Book } from './book.ts';
import type { OperatorSimulator, Reply } from './simulator.ts';
import { statementLines } from './statement.ts';
import { OPERATOR_CODE, readAccountQuery, readInstruction, readStatusQuery } from './requests.ts';

export interface RequestOptions {
  readonly receiver: OperatorSimulator;
  readonly book: Book;
  /** The Standard Webhooks secret that requests are signed with. */
  readonly key: string;
  /** Time for which a connection is held that never gets an answer. */
  readonly holdMs: number;
}

/** Largest request body. */
const BODY_BYTES = 64 * 1024;

/** Entries of the truth that are written to the connection at once. */
const TRUTH_CHUNK_ENTRIES = 500;

const OPERATION_PATH = new RegExp(
  `^/operators/(${OPERATOR_CODE})/(payments|payments/status|accounts/validate|balance)$`,
);
const STATEMENT_PATH = new RegExp(`^/operators/(${OPERATOR_CODE})/statement$`);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The HTTP side of the simulated operators; `docs/reference/operator-protocol.md` is what it speaks. */
export function createRequestListener(options: RequestOptions): RequestListener {
  const webhook = new Webhook(options.key);
  return (request, response) => {
    serve(request, response, { ...options, webhook }).catch((error: unknown) => {
      // A caller that disconnects during a body or during the truth is not an error.
      if (request.destroyed || response.destroyed) return;
      process.stderr.write(`simulated operators: ${String(error)}\n`);
      if (response.headersSent) response.destroy();
      else sendAnswer(response, 500, { status: 'error', message: 'Something went wrong' });
    });
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: RequestOptions & { readonly webhook: Webhook },
): Promise<void> {
  const { url = '/', method } = request;
  if (url === '/truth' && method === 'GET') return sendTruth(response, options.book);
  const [path = '', query = ''] = url.split('?', 2);
  const statement = STATEMENT_PATH.exec(path);
  if (statement?.[1] !== undefined && method === 'GET') {
    return sendStatement(response, options.book, statement[1], new URLSearchParams(query));
  }
  const operation = OPERATION_PATH.exec(url);
  if (operation?.[1] === undefined || operation[2] === undefined) {
    return sendAnswer(response, 404, { status: 'error', message: 'There is nothing here' });
  }
  if (method !== 'POST') {
    return sendAnswer(response, 405, { status: 'error', message: 'Only POST is supported' });
  }
  const bytes = await readBody(request);
  if (bytes === undefined) return carryOut({ kind: 'cut' }, response, options);
  const text = verifiedText(options.webhook, request, bytes);
  if (text === undefined) {
    return sendAnswer(response, 401, { status: 'error', message: 'The signature is not valid' });
  }
  const reply = replyTo({ operator: operation[1], operation: operation[2], text }, options);
  return carryOut(reply, response, options);
}

/** Undefined for more than `BODY_BYTES`. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body's text; undefined when it is not UTF-8 or not signed with our key. */
function verifiedText(
  webhook: Webhook,
  request: IncomingMessage,
  bytes: Buffer,
): string | undefined {
  try {
    const text = utf8.decode(bytes);
    webhook.verify(text, request.headers as Record<string, string>, { jsonParse: false });
    return text;
  } catch {
    return undefined;
  }
}

function replyTo(
  request: { readonly operator: string; readonly operation: string; readonly text: string },
  { receiver, book }: RequestOptions,
): Reply {
  const { operator } = request;
  const body = parsed(request.text);
  switch (request.operation) {
    case 'payments': {
      const instruction = readInstruction(operator, body);
      return instruction === undefined ? MALFORMED : receiver.pay(instruction);
    }
    case 'payments/status': {
      const query = readStatusQuery(body);
      return query === undefined ? MALFORMED : receiver.status(operator, query.reference);
    }
    case 'accounts/validate': {
      const query = readAccountQuery(body);
      return query === undefined ? MALFORMED : ok(validateAccount(query.biller, query.account));
    }
    default:
      return ok({
        status: 'ok',
        balance: amountText(book.balanceCents(operator)),
        currency: 'KES',
      });
  }
}

const MALFORMED: Reply = {
  kind: 'answer',
  httpStatus: 400,
  answer: { status: 'error', message: 'The body is not what the protocol says' },
};

function ok(answer: Answer): Reply {
  return { kind: 'answer', httpStatus: 200, answer };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function carryOut(reply: Reply, response: ServerResponse, options: RequestOptions): void {
  switch (reply.kind) {
    case 'answer':
      return sendAnswer(response, reply.httpStatus, reply.answer);
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html><body><h1>It works!</h1');
      return;
    case 'cut':
      response.destroy();
      return;
    case 'never':
      return hold(response, options.holdMs);
    default: {
      const forget = options.receiver.whenExecuted(reply.payment, (answer) => {
        sendAnswer(response, 200, answer);
      });
      response.once('close', forget);
      // Not by `close` alone: it is reported later, and the payment may be executed in between.
      return hold(response, options.holdMs, forget);
    }
  }
}

function hold(response: ServerResponse, holdMs: number, onEnd?: () => void): void {
  const timer = setTimeout(() => {
    onEnd?.();
    response.destroy();
  }, holdMs);
  response.once('close', () => {
    clearTimeout(timer);
  });
}

function sendAnswer(response: ServerResponse, httpStatus: number, answer: Answer): void {
  const body = JSON.stringify(answer);
  response.writeHead(httpStatus, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function sendTruth(response: ServerResponse, book: Book): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  await pipeline(Readable.from(truthText(book)), response);
}

async function sendStatement(
  response: ServerResponse,
  book: Book,
  operator: string,
  query: URLSearchParams,
): Promise<void> {
  const from = new Date(query.get('from') ?? '');
  const to = new Date(query.get('to') ?? '');
  if (!(from < to)) {
    const message = 'from and to are moments in ISO 8601, from before to';
    return sendAnswer(response, 400, { status: 'error', message });
  }
  response.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${operator}.csv"`,
  });
  await pipeline(Readable.from(statementLines(book, operator, { from, to })), response);
}

function* truthText(book: Book): Generator<string> {
  let chunk: string[] = [];
  let lead = '[';
  for (const entry of book.truth()) {
    chunk.push(JSON.stringify(entry));
    if (chunk.length === TRUTH_CHUNK_ENTRIES) {
      yield lead + chunk.join(',\n');
      lead = ',\n';
      chunk = [];
    }
  }
  yield chunk.length > 0 || lead === '[' ? `${lead}${chunk.join(',\n')}]` : ']';
}
