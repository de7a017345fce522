import { Socket } from 'node:net';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import { lookupHost } from '../outbound/host-names.ts';

class LookingUpSocket extends Socket {
  // As `pg` calls it: with the path of a Unix socket, or a port and a host.
  override connect(...given: never[]): this {
    const [where, host] = given as unknown as [port: number | string, host?: string];
    if (host === undefined) return super.connect(String(where));
    return super.connect({ port: Number(where), host, lookup: lookupHost });
  }
}

/** `pg`'s client. Its host is looked up without the threads that all look-ups of Node share. */
export class LookingUpClient extends Client {
  constructor(config: ClientConfig = {}) {
    super({ ...config, stream: () => new LookingUpSocket() });
  }
}
