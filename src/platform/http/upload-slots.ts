import type { ServerResponse } from 'node:http';
import { Refusal } from '../base/errors.ts';
import { OldestFirst } from './admission.ts';
import type { Unfinished } from './admission.ts';

/** The number of files that are received at once. */
export interface UploadLimits {
  readonly atOnce: number;
  readonly perSigner: number;
  /** Limit for senders who can only be authenticated once the file has arrived. */
  readonly unproven: number;
  readonly unprovenPerAddress: number;
}

/** An upload of an authenticated signer whose file has not arrived. */
interface AwaitedUpload {
  readonly signerName: string;
  /** Equal for the same request sent again. */
  readonly request: string;
  readonly unfinished: Unfinished;
}

/**
 * Decides who may send a file now. An upload takes a slot when its file has arrived: a few slots in
 * total, and fewer per signer. While the file is arriving the sender holds no slot, because anyone
 * who has seen a signed request can send it again. At the limit of arriving uploads a new one
 * replaces the oldest: first of the same request, then of the signer, then of all. Senders that can
 * only be authenticated once the file has arrived are counted separately, so that they never take
 * an authenticated signer's place.
 */
export class UploadSlots {
  readonly #limits: UploadLimits;
  readonly #taken = new Map<string, number>();
  #count = 0;
  readonly #awaited: OldestFirst;
  readonly #awaitedRequests = new Map<string, Unfinished>();
  readonly #unproven: OldestFirst;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
    this.#awaited = new OldestFirst({ max: limits.atOnce, maxPerAddress: limits.perSigner });
    this.#unproven = new OldestFirst({
      max: limits.unproven,
      maxPerAddress: limits.unprovenPerAddress,
    });
  }

  /**
   * Held until the file has been handled: then call the returned function, with the body released. A client
   * that disconnects does not end the work, so it frees no slot. Nor does an answer keep one that waits for
   * earlier ones of its connection: they may take as long as their reader wants. Throws: `overloaded`.
   */
  take(signerName: string): () => void {
    const own = this.#taken.get(signerName) ?? 0;
    if (own >= this.#limits.perSigner || this.#count >= this.#limits.atOnce) {
      throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    }
    this.#taken.set(signerName, own + 1);
    this.#count += 1;
    return () => this.#give(signerName);
  }

  #give(signerName: string): void {
    const left = (this.#taken.get(signerName) ?? 1) - 1;
    if (left === 0) this.#taken.delete(signerName);
    else this.#taken.set(signerName, left);
    this.#count -= 1;
  }

  /**
   * Held until the response ends, or until the file has arrived: then call the returned function.
   */
  await(upload: AwaitedUpload, answer: ServerResponse): () => void {
    const { signerName, request, unfinished } = upload;
    const entry: Unfinished = {
      address: signerName,
      refuse: () => unfinished.refuse(),
      leave: () => {
        this.#awaited.delete(entry);
        if (this.#awaitedRequests.get(request) === entry) this.#awaitedRequests.delete(request);
      },
    };
    const same = this.#awaitedRequests.get(request);
    same?.leave();
    same?.refuse();
    this.#awaitedRequests.set(request, entry);
    this.#awaited.add(entry);
    answer.once('close', entry.leave);
    return entry.leave;
  }

  /**
   * Held until the response ends, or until the file has arrived: then call the returned function.
   */
  awaitUnproven(upload: Unfinished, answer: ServerResponse): () => void {
    const giveBack = (): void => this.#unproven.delete(upload);
    this.#unproven.add(upload);
    answer.once('close', giveBack);
    return giveBack;
  }
}
