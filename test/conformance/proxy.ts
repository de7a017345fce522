import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What happens to an instruction in transit. With `lost` it never arrives; with the others it does. */
export type TransportFault =
  | 'none'
  | 'lost'
  | 'html_instead'
  | 'answer_cut'
  | 'answer_never'
  | 'answer_html'
  | 'answer_torn'
  | 'answer_empty';

export interface FaultProxy {
  readonly origin: string;
  /** Sets the fault for the next instruction; afterwards it is `none` again. */
  next(fault: TransportFault): void;
  /** Runs the action once, while the next instruction is in transit, or while its answer is. */
  during(when: 'request' | 'answer', action: () => void): void;
  /** Number of instructions that the connector sent, including lost ones. */
  readonly instructions: number;
  close(): Promise<void>;
}

const HTML = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

/** Stands between the connector and the emulator, and disturbs instructions only. */
export async function startFaultProxy(
  port: number,
  isInstruction: (method: string, path: string, body: string) => boolean,
): Promise<FaultProxy> {
  let fault: TransportFault = 'none';
  let instructions = 0;
  let actions: Partial<Record<'request' | 'answer', () => void>> = {};
  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const body = await buffer(request);
      const disturbed = isInstruction(request.method ?? '', request.url ?? '', body.toString());
      if (disturbed) instructions += 1;
      const striking = disturbed ? fault : 'none';
      if (disturbed) fault = 'none';
      const during = disturbed ? actions : {};
      if (disturbed) actions = {};
      await handle(request, response, { port, body, fault: striking, during });
    };
    serve().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: (wanted) => {
      fault = wanted;
    },
    during: (when, action) => {
      actions = { ...actions, [when]: action };
    },
    get instructions() {
      return instructions;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  {
    port,
    body,
    fault,
    during,
  }: {
    readonly port: number;
    readonly body: Buffer;
    readonly fault: TransportFault;
    readonly during: Partial<Record<'request' | 'answer', () => void>>;
  },
): Promise<void> {
  if (fault === 'lost') return void response.destroy();
  if (fault === 'html_instead') return html(response);
  during.request?.();
  const answer = await forward(request, body, port);
  during.answer?.();
  switch (fault) {
    case 'answer_cut':
      return void response.destroy();
    case 'answer_never':
      return;
    case 'answer_html':
      return html(response);
    case 'answer_torn':
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      return void response.end(answer.body.subarray(0, Math.floor(answer.body.length / 2)));
    case 'answer_empty':
      return void response.writeHead(200).end();
    default:
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
  }
}

function html(response: ServerResponse): void {
  response.writeHead(502, { 'content-type': 'text/html' }).end(HTML);
}

async function forward(
  request: IncomingMessage,
  body: Buffer,
  port: number,
): Promise<{
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}> {
  const outgoing = send({
    port,
    host: '127.0.0.1',
    method: request.method,
    path: request.url,
    headers: { ...request.headers, host: `127.0.0.1:${port}` },
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: incoming.statusCode ?? 0,
    headers: {
      'content-type': incoming.headers['content-type'] ?? 'application/json',
      // Where some providers name what they accepted.
      ...(incoming.headers.location !== undefined && { location: incoming.headers.location }),
    },
    body: Buffer.concat(chunks),
  };
}
