import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes a connection that sends more pipelined requests than it may have unanswered. Node parses
 * everything that has arrived, and pauses the connection only when answers pile up.
 */
export function limitPipelining(app: FastifyInstance, maxUnanswered: number): void {
  const connections = new WeakMap<Socket, Set<ServerResponse>>();
  const unansweredOn = (socket: Socket): Set<ServerResponse> => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const unanswered = new Set<ServerResponse>();
    connections.set(socket, unanswered);
    // Node reports only the answer whose turn it was, but the others also count.
    socket.once('close', () => {
      for (const response of unanswered) if (response.socket === null) response.emit('close');
    });
    return unanswered;
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const unanswered = unansweredOn(socket);
    if (socket.destroyed || unanswered.size >= maxUnanswered) {
      // Neither passed on nor answered: the requests before it are answered first.
      socket.destroy();
      return;
    }
    unanswered.add(reply.raw);
    reply.raw.on('close', () => unanswered.delete(reply.raw));
    done();
  });
}
