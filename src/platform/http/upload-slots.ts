import type { ServerResponse } from 'node:http';
import { Refusal } from '../base/errors.ts';
import { OldestFirst } from './admission.ts';
import type { Unfinished } from './admission.ts';

/** How many files are taken at once. */
export interface UploadLimits {
  readonly atOnce: number;
  readonly perSigner: number;
  /** Of senders who can only be authenticated when the file has arrived. */
  readonly unproven: number;
  readonly unprovenPerAddress: number;
}

/** An upload of an authenticated signer whose file has not arrived. */
interface AwaitedUpload {
  readonly signerName: string;
  /** The same for the same request sent again. */
  readonly request: string;
  readonly unfinished: Unfinished;
}

/**
 * Who may send a file now. A slot is taken when the file has arrived: a few in all, and fewer of each
 * signer. While it is on its way its sender holds none, since a signed request can be sent again by
 * whoever has seen it: of uploads on their way the oldest makes room, of the same request first, then
 * of the signer, then of all. Senders that can only be authenticated when the file has arrived are
 * counted apart, so that they are in no authenticated signer's way.
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

  /** Until the answer's end. Throws: `overloaded`. */
  take(signerName: string, answer: ServerResponse): void {
    // Its client went away while it was authenticated.
    if (answer.closed) return;
    const own = this.#taken.get(signerName) ?? 0;
    if (own >= this.#limits.perSigner || this.#count >= this.#limits.atOnce) {
      throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    }
    this.#taken.set(signerName, own + 1);
    this.#count += 1;
    answer.once('close', () => {
      const left = (this.#taken.get(signerName) ?? 1) - 1;
      if (left === 0) this.#taken.delete(signerName);
      else this.#taken.set(signerName, left);
      this.#count -= 1;
    });
  }

  /** Until the answer's end, or until the file is there: call what this returns. */
  await(upload: AwaitedUpload, answer: ServerResponse): () => void {
    const { signerName, request, unfinished } = upload;
    const entry: Unfinished = {
      address: signerName,
      refuse: unfinished.refuse,
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

  /** Until the answer's end, or until the file is there: call what this returns. */
  awaitUnproven(upload: Unfinished, answer: ServerResponse): () => void {
    const giveBack = (): void => this.#unproven.delete(upload);
    this.#unproven.add(upload);
    answer.once('close', giveBack);
    return giveBack;
  }
}
