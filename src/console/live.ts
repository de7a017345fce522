import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../platform/base/errors.ts';
import type { LiveAnswer } from '../staff/forms.ts';
import type { SignedIn } from '../staff/viewer.ts';

/** Proxies end connections on which nothing arrives, usually after a minute. */
const HEARTBEAT_MS = 15_000;
/** The maximum of unread data of one browser. */
const MAX_UNREAD_BYTES = 1_048_576;
/** Staff have streams of their own, which no vendor's people can take. */
const MAX_STREAMS_OF_STAFF = 200;
const MAX_STREAMS_OF_VENDORS = 800;
/** Limit for all people of a vendor, so that other vendors have streams too. */
const MAX_STREAMS_PER_VENDOR = 50;
/** Browsers close those of hidden pages, so a person has few. */
const MAX_STREAMS_PER_PERSON = 20;

type StreamOwner = Pick<SignedIn, 'personId' | 'vendor'>;

type SendLive = (
  answer: LiveAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: StreamOwner,
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
  const streams = new Map<Readable, StreamOwner>();
  app.addHook('preClose', (done) => {
    for (const stream of streams.keys()) stream.push(null);
    done();
  });
  return (answer, request, reply, owner) => {
    requireRoom([...streams.values()], owner);
    const stream = new Readable({ read: () => {} });
    streams.set(stream, owner);
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

/** Throws: `too_many_requests` if the person or the vendor has enough streams, `overloaded` if all are taken. */
function requireRoom(open: readonly StreamOwner[], { personId, vendor }: StreamOwner): void {
  const ofSameKind = open.filter(
    (owner) => (owner.vendor === undefined) === (vendor === undefined),
  );
  const ofVendor = ofSameKind.filter((owner) => owner.vendor?.vendorId === vendor?.vendorId);
  const ofPerson = ofVendor.filter((owner) => owner.personId === personId);
  if (ofPerson.length >= MAX_STREAMS_PER_PERSON) {
    throw tooMany(`At most ${MAX_STREAMS_PER_PERSON} live pages can be open. Close some of them.`);
  }
  if (vendor !== undefined && ofVendor.length >= MAX_STREAMS_PER_VENDOR) {
    throw tooMany(`The people of one vendor can have ${MAX_STREAMS_PER_VENDOR} live pages open.`);
  }
  const max = vendor === undefined ? MAX_STREAMS_OF_STAFF : MAX_STREAMS_OF_VENDORS;
  if (ofSameKind.length >= max) throw new Refusal('overloaded', { retryAfterSeconds: 60 });
}

function tooMany(text: string): Refusal {
  return new Refusal('too_many_requests', { text, retryAfterSeconds: 60 });
}
