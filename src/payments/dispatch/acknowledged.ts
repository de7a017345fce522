import type { Acknowledged } from '../../platform/history/keeper.ts';
import { lacksAny } from './acknowledged-store.ts';
import type { AcknowledgedPayment } from './acknowledged-store.ts';

/** The log of the database has commits in their order, so the last ones stand for all before them. */
const REMEMBERED = 64;

/**
 * The last creates that this process answered, and the last claims whose instructions it sent: one
 * payment of each commit.
 */
export class AcknowledgedPayments implements Acknowledged {
  #noted: AcknowledgedPayment[] = [];

  /** @param commit the payments of one commit. */
  note(commit: readonly AcknowledgedPayment[]): void {
    const last = commit.at(-1);
    if (last === undefined) return;
    // Not the object itself, which has the customer's account.
    const { vendorId, paymentId, attemptNumber } = last;
    this.#noted.push({ vendorId, paymentId, attemptNumber });
    if (this.#noted.length > REMEMBERED) this.#noted.shift();
  }

  until(): ReturnType<Acknowledged['until']> {
    const noted = [...this.#noted];
    return {
      areMissing: async (db) => noted.length > 0 && (await lacksAny(db, noted)),
      forget: () => {
        this.#noted = this.#noted.filter((payment) => !noted.includes(payment));
      },
    };
  }
}
