import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../platform/base/limits.ts';
import { UploadSlots } from '../platform/http/upload-slots.ts';
import type { Viewer } from './route.ts';

/** Of a route whose request contains a file. */
interface FileUpload {
  readonly hooks: {
    readonly bodyLimit: number;
    readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
    readonly preValidation: (request: FastifyRequest) => Promise<void>;
  };
  /** Handles the file of a person when it has arrived. Throws: `overloaded`, and what `handle` throws. */
  readonly run: <Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    handle: (viewer: Viewer) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * Admits the person before any byte of the file is read, because the file is kept in memory. One process
 * receives a few files at a time, and fewer of one person. At the limit, a new one that is still arriving
 * replaces the oldest one, and a new one that has arrived is refused.
 */
export function createFileUploads(): (
  bodyBytes: number,
  admit: (request: FastifyRequest) => Promise<Viewer>,
) => FileUpload {
  const slots = new UploadSlots({
    atOnce: LIMITS.consoleFilesAtOnce,
    perSigner: LIMITS.consoleFilesPerPerson,
    // Everybody has a session.
    unproven: 0,
    unprovenPerAddress: 0,
  });
  return (bodyBytes, admit) => {
    const viewers = new WeakMap<FastifyRequest, Viewer>();
    const awaited = new WeakMap<FastifyRequest, () => void>();
    return {
      hooks: {
        bodyLimit: bodyBytes,
        onRequest: async (request, reply) => {
          const viewer = await admit(request);
          viewers.set(request, viewer);
          const { unfinished } = request;
          if (unfinished === undefined || request.isClosed) return;
          const upload = { signerName: viewer.personId, request: request.id, unfinished };
          awaited.set(request, slots.await(upload, reply.raw));
          // Requests of others from the same address no longer replace it.
          unfinished.leave();
        },
        preValidation: async (request) => awaited.get(request)?.(),
      },
      run: async (request, reply, handle) => {
        const viewer = viewers.get(request);
        if (viewer === undefined) throw new Error('the request was not admitted');
        const isHandled = slots.take(viewer.personId, request, reply.raw);
        try {
          return await handle(viewer);
        } finally {
          isHandled();
        }
      },
    };
  };
}
