import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Connections end with their next answer from now on. New ones are still accepted. */
    endConnectionsGently(): void;
  }
}

/**
 * Lets a stop end soon. Requests that have arrived are answered, and their connections then end.
 * Connections without a request end at once, and all others after the grace period.
 */
export function endConnectionsAtStop(app: FastifyInstance, graceMs: number): void {
  const silent = new Set<Socket>();
  let stopping = false;
  let cutOff: NodeJS.Timeout | undefined;
  app.decorate('endConnectionsGently', () => {
    stopping = true;
  });
  app.server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.addHook('onRequest', (request, _reply, done) => {
    silent.delete(request.raw.socket);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) void reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    stopping = true;
    for (const socket of silent) socket.destroy();
    cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    done();
  });
  app.addHook('onClose', (_instance, done) => {
    clearTimeout(cutOff);
    done();
  });
}
