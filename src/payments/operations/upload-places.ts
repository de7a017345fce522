import type { ServerResponse } from 'node:http';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { OldestFirst } from '../../platform/http/admission.ts';
import type { Unfinished } from '../../platform/http/admission.ts';

/**
 * Who may send a file now: a few authenticated vendors, each of them a part of those. Senders that
 * can only be authenticated when the file is there have places of their own, where the oldest makes
 * room for a further one, so that they keep no vendor waiting.
 */
export class UploadPlaces {
  readonly #taken = new Map<number, number>();
  #count = 0;
  readonly #unproven = new OldestFirst({
    max: LIMITS.bulkUnprovenUploads,
    mostPerAddress: LIMITS.bulkUnprovenUploadsPerAddress,
  });

  /** Until the answer's end. Throws: `overloaded`. */
  take(vendorId: number, answer: ServerResponse): void {
    // Its client went away while it was authenticated.
    if (answer.closed) return;
    const own = this.#taken.get(vendorId) ?? 0;
    if (own >= LIMITS.bulkUploadsPerVendor || this.#count >= LIMITS.bulkUploadsAtOnce) {
      throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    }
    this.#taken.set(vendorId, own + 1);
    this.#count += 1;
    answer.once('close', () => {
      const left = (this.#taken.get(vendorId) ?? 1) - 1;
      if (left === 0) this.#taken.delete(vendorId);
      else this.#taken.set(vendorId, left);
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
