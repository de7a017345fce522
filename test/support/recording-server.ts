import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
export interface Recorded {
  /** Method and path with query, such as `POST /pay`. */
  readonly line: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface RecordingServer {
  readonly origin: string;
  readonly requests: readonly Recorded[];
  close(): Promise<void>;
}

/** Records requests. @param answerTo returns the JSON answer to a request line. */
export async function startRecordingServer(
  answerTo: (line: string) => unknown,
  status: number | ((line: string) => number) = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const server = createServer((request, response) => {
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    const record = async (): Promise<void> => {
      requests.push({ line, headers: request.headers, body: await text(request) });
      const code = typeof status === 'number' ? status : status(line);
      response.writeHead(code, headers).end(JSON.stringify(answerTo(line)));
    };
    record().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function formOf(body: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(body));
}
