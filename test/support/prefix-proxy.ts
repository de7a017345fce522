import { createServer, request as send } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy that serves another server below a prefix, which it removes. */
export interface PrefixProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** @param targetOrigin is asked for with each request, because the proxy's port may be known first. */
export async function startPrefixProxy(
  prefix: string,
  targetOrigin: () => string,
): Promise<PrefixProxy> {
  const server: Server = createServer((incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const target = new URL(url.slice(prefix.length), targetOrigin());
    // Proxies name themselves as the host unless they are told not to.
    const forwarded = { ...headers, host: target.host };
    const passed = send(target, { method, headers: forwarded }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
