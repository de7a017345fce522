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

/**
 * Who may send a file now: a few authenticated signers, each of them some of those. Senders that can
 * only be authenticated when the file has arrived have slots of their own, where the oldest makes
 * room for a further one, so that they keep no authenticated signer waiting.
 */
export class UploadSlots {
  readonly #limits: UploadLimits;
  readonly #taken = new Map<string, number>();
  #count = 0;
  readonly #unproven: OldestFirst;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
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
  takeUnproven(upload: Unfinished, answer: ServerResponse): () => void {
    const giveBack = (): void => this.#unproven.delete(upload);
    this.#unproven.add(upload);
    answer.once('close', giveBack);
    return giveBack;
  }
}
