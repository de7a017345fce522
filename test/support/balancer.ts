import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A load balancer as operators use it: it asks `/health/ready` and repeats no request. */
export interface Balancer {
  readonly origin: string;
  /** The backends that were ready when they were asked last. */
  readonly ready: ReadonlySet<string>;
  close(): Promise<void>;
}

const CHECK_EVERY_MS = 50;

export async function startBalancer(backends: readonly string[]): Promise<Balancer> {
  const agent = new http.Agent({ keepAlive: true });
  const ready = new Set<string>();
  const closing = new AbortController();
  let turn = 0;

  const check = async (backend: string): Promise<void> => {
    while (!closing.signal.aborted) {
      const answer = await fetch(`${backend}/health/ready`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 200) ready.add(backend);
      else ready.delete(backend);
      await delay(CHECK_EVERY_MS);
    }
  };

  const server = http.createServer((request, response) => {
    const usable = backends.filter((backend) => ready.has(backend));
    turn += 1;
    const backend = usable[turn % usable.length];
    const fail = (): void => void response.writeHead(502).end();
    if (backend === undefined) {
      fail();
      return;
    }
    const { method = 'GET', headers, url: path = '/' } = request;
    const passed = http.request(new URL(path, backend), { method, headers, agent }, (answer) => {
      // The connection to the client is the balancer's own.
      const { connection: _, 'keep-alive': __, ...others } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, others);
      answer.pipe(response);
    });
    passed.on('error', fail);
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const checks = backends.map(check);
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready,
    close: async () => {
      closing.abort();
      await Promise.all(checks);
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
