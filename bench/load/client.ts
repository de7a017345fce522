import { readFileSync } from 'node:fs';
import net from 'node:net';

/**
 * An HTTP client in a process of its own, for what wrk cannot do, and where wrk is missing.
 *
 * Closed loop (no rate): each connection sends its next request when it has an answer, as wrk does.
 * Open loop (with a rate): requests are sent by the clock, whether or not answers have arrived, and the
 * latency counts from the time when a request was due. Only in this way does a pause of the server show
 * in all requests that would have arrived during it.
 * The latencies of its first second are left out: this process is still being compiled, and keeps
 * requests waiting itself.
 *
 * Argument: a JSON object, `ClientOptions`. Prints a JSON object, `ClientResult`.
 */
export interface ClientOptions {
  readonly port: number;
  /** As `writeRequests` makes it. */
  readonly file: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second; absent: closed loop. */
  readonly rate?: number;
}

export interface ClientResult {
  readonly sent: number;
  readonly ranOut: number;
  readonly answered: number;
  /** Answers that are not 2xx. */
  readonly refused: number;
  /** Connections that broke. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Used only by an open loop. */
const WARM_UP_MS = 1_000;
/** Longest wait for the last answers. */
const DRAIN_MS = 5_000;

interface Connection {
  readonly socket: net.Socket;
  /** When the request in progress was due; undefined: no request is in progress. */
  dueAt: number | undefined;
  received: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ClientOptions;
const requests = readFileSync(options.file, 'utf8').trimEnd().split('\n').map(toHttp);
const latencies: number[] = [];
let sent = 0;
let answered = 0;
let refused = 0;
let broken = 0;
/** Open loop: due times at which every connection was busy. */
const overdue: number[] = [];
/** Open loop: connections without a request in progress. */
const idle: Connection[] = [];
let open = true;
let onDrained: (() => void) | undefined;

const connections = await Promise.all(Array.from({ length: options.connections }, connect));
const startedAt = performance.now();
const endsAt = startedAt + options.seconds * 1000;
const countsFrom = options.rate === undefined ? startedAt : startedAt + WARM_UP_MS;
if (options.rate === undefined) for (const connection of connections) send(connection, startedAt);
else await sendByClock(options.rate);
await drained();
for (const { socket } of connections) socket.destroy();
latencies.sort((left, right) => left - right);
const result: ClientResult = {
  sent,
  ranOut: sent === requests.length ? 1 : 0,
  answered,
  refused,
  broken,
  p50Ms: percentile(50),
  p99Ms: percentile(99),
};
process.stdout.write(`${JSON.stringify(result)}\n`);

function toHttp(line: string): string {
  const [method = '', path = '', body = ''] = line.split('\t');
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
  const head = body === '' ? '' : `${type}Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n${body}`;
}

async function connect(): Promise<Connection> {
  const socket = net.connect({ port: options.port, host: '127.0.0.1', noDelay: true });
  const connection: Connection = { socket, dueAt: undefined, received: '' };
  const ready = Promise.withResolvers<void>();
  socket.once('connect', ready.resolve);
  socket.once('error', ready.reject);
  await ready.promise;
  socket.off('error', ready.reject);
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => receive(connection, text));
  // `close` follows, and counts it.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (connection.dueAt === undefined) return;
    broken += 1;
    connection.dueAt = undefined;
  });
  return connection;
}

function send(connection: Connection, dueAt: number): void {
  const request = requests[sent];
  if (request === undefined) {
    open = false;
    return;
  }
  sent += 1;
  connection.dueAt = dueAt;
  connection.socket.write(request, 'latin1');
}

function receive(connection: Connection, text: string): void {
  connection.received += text;
  const end = connection.received.indexOf('\r\n\r\n');
  if (end === -1) return;
  const head = connection.received.slice(0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (connection.received.length < end + 4 + length) return;
  connection.received = '';
  const now = performance.now();
  if (connection.dueAt !== undefined && connection.dueAt >= countsFrom) {
    latencies.push(now - connection.dueAt);
  }
  connection.dueAt = undefined;
  answered += 1;
  if (!head.startsWith('HTTP/1.1 2')) refused += 1;
  const due = overdue.shift() ?? (options.rate === undefined ? now : undefined);
  if (due !== undefined && (options.rate !== undefined || now < endsAt) && open) {
    send(connection, due);
    return;
  }
  idle.push(connection);
  if (answered + broken === sent) onDrained?.();
}

/** Sends all due requests at once, even if the timer is late; its delay counts as the service's. */
async function sendByClock(rate: number): Promise<void> {
  const gapMs = 1000 / rate;
  let dueAt = startedAt;
  idle.push(...connections);
  while (performance.now() < endsAt && open) {
    for (const now = performance.now(); dueAt <= now; dueAt += gapMs) {
      // The one that has been idle longest: the server closes connections that send no first request.
      const free = idle.shift();
      if (free === undefined) overdue.push(dueAt);
      else send(free, dueAt);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function drained(): Promise<void> {
  const all = Promise.withResolvers<void>();
  const limit = setTimeout(all.resolve, options.seconds * 1000 + DRAIN_MS);
  onDrained = () => {
    if (performance.now() >= endsAt || !open) all.resolve();
  };
  if (answered + broken === sent) onDrained();
  await all.promise;
  clearTimeout(limit);
}

function percentile(percent: number): number {
  return (
    latencies[Math.min(latencies.length - 1, Math.floor((latencies.length * percent) / 100))] ?? 0
  );
}
