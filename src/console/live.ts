import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../platform/base/errors.ts';
import type { Live } from './route.ts';

/** Proxies end connections on which nothing arrives, usually after a minute. */
const HEARTBEAT_MS = 15_000;
/** The maximum of unread data of one browser. */
const MAX_UNREAD_BYTES = 1_048_576;
const MAX_STREAMS = 1_000;
/** Browsers close those of hidden pages, so a person has few. */
const MAX_STREAMS_PER_PERSON = 20;

type SendLive = (
  answer: Live,
  request: FastifyRequest,
  reply: FastifyReply,
  personId: string,
) => FastifyReply;

/**
 * Sends streams of server-sent events. A stream ends with the event `end` when the session ends, and
 * without it when the service stops; the browser then connects to another process.
 */
export function createLiveAnswers(
  app: FastifyInstance,
  options: {
    readonly isSignedIn: (request: FastifyRequest) => Promise<boolean>;
    /** Default: often enough for proxies. */
    readonly checkEveryMs?: number;
  },
): SendLive {
  const { isSignedIn, checkEveryMs = HEARTBEAT_MS } = options;
  const streams = new Map<Readable, string>();
  app.addHook('preClose', (done) => {
    for (const stream of streams.keys()) stream.push(null);
    done();
  });
  return (answer, request, reply, personId) => {
    if (streams.size >= MAX_STREAMS) throw new Refusal('overloaded');
    const own = [...streams.values()].filter((owner) => owner === personId);
    if (own.length >= MAX_STREAMS_PER_PERSON) {
      const text = `At most ${MAX_STREAMS_PER_PERSON} live pages can be open. Close some of them.`;
      throw new Refusal('too_many_requests', { text, retryAfterSeconds: 60 });
    }
    const stream = new Readable({ read: () => {} });
    streams.set(stream, personId);
    const send = (text: string): void => {
      if (stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
      else if (!stream.readableEnded && !stream.destroyed) stream.push(text);
    };
    const unsubscribe = answer.subscribe((data) => send(`data: ${JSON.stringify(data)}\n\n`));
    const check = async (): Promise<void> => {
      if (await isSignedIn(request)) {
        send(': \n\n');
      } else {
        send('event: end\ndata: \n\n');
        end();
      }
    };
    // Without the database, the session cannot be checked.
    const heartbeat = setInterval(() => void check().catch(() => stream.destroy()), checkEveryMs);
    const end = (): void => {
      clearInterval(heartbeat);
      unsubscribe();
      streams.delete(stream);
      if (!stream.destroyed) stream.push(null);
    };
    stream.once('close', end);
    reply.raw.once('close', () => stream.destroy());
    return (
      reply
        .type('text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store, no-transform')
        // Otherwise nginx buffers the events.
        .header('x-accel-buffering', 'no')
        .send(stream)
    );
  };
}
