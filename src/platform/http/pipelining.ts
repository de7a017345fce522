import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { AtClosing } from './lifecycle.ts';

/** The unanswered requests of a connection. A look at a WeakMap would cost four times as much. */
const UNANSWERED = Symbol('unanswered requests');

declare module 'node:net' {
  interface Socket {
    [UNANSWERED]?: Set<ServerResponse>;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The unanswered requests of its connection, with this one. */
    unanswered: Set<ServerResponse> | undefined;
  }
}

/**
 * Closes a connection that sends more pipelined requests than it may have unanswered. Node parses
 * everything that has arrived, and pauses the connection only when answers pile up.
 */
export function limitPipelining(
  app: FastifyInstance,
  maxUnanswered: number,
  atClosing: AtClosing,
): void {
  app.decorateRequest('unanswered', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const unanswered = unansweredOn(socket);
    if (socket.destroyed || unanswered.size >= maxUnanswered) {
      // Neither passed on nor answered: the requests before it are answered first.
      socket.destroy();
      return;
    }
    unanswered.add(reply.raw);
    request.unanswered = unanswered;
    done();
  });
  atClosing(({ unanswered }, reply) => {
    unanswered?.delete(reply.raw);
  });
}

function unansweredOn(socket: Socket): Set<ServerResponse> {
  return (socket[UNANSWERED] ??= followConnection(socket));
}

function followConnection(socket: Socket): Set<ServerResponse> {
  const unanswered = new Set<ServerResponse>();
  // Not every version of Node 24 reports more than the answer whose turn it was.
  socket.once('close', () => {
    // Each one that is reported is removed.
    for (const response of [...unanswered]) if (response.socket === null) response.emit('close');
  });
  return unanswered;
}
