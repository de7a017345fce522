import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../base/limits.ts';
import type { Unfinished } from './admission.ts';
import { UploadSlots } from './upload-slots.ts';

/** Who sends a file. */
interface Sender {
  readonly personId: string;
  /** Undefined: a member of staff. */
  readonly vendor: { readonly vid: string } | undefined;
}

/** Options of a route whose request contains a file. */
interface FileUpload<Admitted> {
  readonly hooks: {
    readonly bodyLimit: number;
    readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
    readonly preValidation: (request: FastifyRequest) => Promise<void>;
  };
  /** Handles the file of a person when it has arrived. Throws: `overloaded`, and what `handle` throws. */
  readonly run: <Result>(
    request: FastifyRequest,
    handle: (admitted: Admitted) => Promise<Result>,
  ) => Promise<Result>;
}

/** Decides for a group of people who may send a file now. */
interface Place {
  readonly slots: UploadSlots;
  readonly name: string;
}

/**
 * Admits the person before any byte of the file is read, because the file is kept in memory. One process
 * receives a few files at a time, and fewer of one person. At the limit, a new one that is still arriving
 * replaces the oldest one, and a new one that has arrived is refused. Staff have places of their own, and
 * the people of a vendor have few together: each vendor adds its people itself.
 */
export function createFileUploads<Admitted>(
  senderOf: (admitted: Admitted) => Sender,
): (
  bodyBytes: number,
  admit: (request: FastifyRequest) => Promise<Admitted>,
) => FileUpload<Admitted> {
  const placesOfSender = createPlaces();
  const placesOf = (admitted: Admitted) => placesOfSender(senderOf(admitted));
  return (bodyBytes, admit) => {
    const everybody = new WeakMap<FastifyRequest, { readonly admitted: Admitted }>();
    const awaited = new WeakMap<FastifyRequest, () => void>();
    return {
      hooks: {
        bodyLimit: bodyBytes,
        onRequest: async (request, reply) => {
          const admitted = await admit(request);
          everybody.set(request, { admitted });
          const { unfinished } = request;
          if (unfinished === undefined || request.isClosed) return;
          awaited.set(request, awaitFile(placesOf(admitted), { request, reply, unfinished }));
          // Requests of others from the same address no longer replace it.
          unfinished.leave();
        },
        preValidation: async (request) => awaited.get(request)?.(),
      },
      run: async (request, handle) => {
        const { admitted } = everybody.get(request) ?? {};
        if (admitted === undefined) throw new Error('the request was not admitted');
        const handled: (() => void)[] = [];
        try {
          for (const { slots, name } of placesOf(admitted)) handled.push(slots.take(name));
          return await handle(admitted);
        } finally {
          request.body = undefined;
          for (const isHandled of handled) isHandled();
        }
      },
    };
  };
}

/** The places that a person's file takes, all of them at once. */
function createPlaces(): (sender: Sender) => readonly Place[] {
  const perPerson = LIMITS.consoleFilesPerPerson;
  const ofStaff = createSlots(LIMITS.consoleFilesOfStaff, perPerson);
  const ofVendors = createSlots(LIMITS.consoleFilesOfVendors, LIMITS.consoleFilesPerVendor);
  // Their number is limited by the places of vendors.
  const ofVendorsPeople = createSlots(Number.POSITIVE_INFINITY, perPerson);
  return ({ personId, vendor }) =>
    vendor === undefined
      ? [{ slots: ofStaff, name: personId }]
      : [
          // First, so that a person's oldest file gives way, and not another one's of the vendor.
          { slots: ofVendorsPeople, name: personId },
          { slots: ofVendors, name: vendor.vid },
        ];
}

function createSlots(atOnce: number, perSigner: number): UploadSlots {
  // Everybody has a session.
  return new UploadSlots({ atOnce, perSigner, unproven: 0, unprovenPerAddress: 0 });
}

/** Until the file has arrived: then call the returned function. */
function awaitFile(
  places: readonly Place[],
  of: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly unfinished: Unfinished;
  },
): () => void {
  const leaves: (() => void)[] = [];
  const leave = (): void => {
    for (const each of leaves) each();
  };
  const refuse = (): void => {
    // It must not make another one give way in its other place, before its connection has ended.
    leave();
    of.unfinished.refuse();
  };
  const { address } = of.unfinished;
  const unfinished = { address, refuse, leave: () => of.unfinished.leave() };
  for (const { slots, name } of places) {
    const upload = { signerName: name, request: of.request.id, unfinished };
    leaves.push(slots.await(upload, of.reply.raw));
  }
  return leave;
}
