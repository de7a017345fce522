import type { EndedBatch } from '../../batches/kind.ts';
import type { Logger } from 'pino';
import { Refusal } from '../../platform/base/errors.ts';
import type { ErrorCode } from '../../platform/base/errors.ts';
import { timeOfId } from '../../platform/base/ids.ts';
import { decodeReference, encodeReference } from '../../parties/reference.ts';
import { Tally } from '../../platform/base/tally.ts';
import { isTracing, traceEvent } from '../../platform/base/tracing.ts';
import type { Created } from './create-rules.ts';
import type { FinalReport, NewPayment, Outcome, PaymentKey } from './payment.ts';

/** An event in a payment's life. `unconfirmed`: it is not known whether the payment was accepted. */
type Noted = 'accepted' | 'refused' | 'unconfirmed' | 'unanswered' | Outcome;

/** A payment whose instruction the operator did not answer. */
interface Unanswered extends PaymentKey {
  readonly billerCode: string;
  readonly operatorCode: string;
  readonly durationMs: number;
  /** Without personal data. */
  readonly reason: string | undefined;
}

/**
 * One log line, and one count, for each payment that is accepted, refused, left without an answer by
 * its operator, or settled. No line holds an account, a phone number, a name or an amount.
 */
export class PaymentNotes {
  readonly outcomes = new Tally<{ biller: string; outcome: Noted }>();
  readonly refusals = new Tally<{ biller: string; code: ErrorCode }>();
  readonly #log: Logger;
  readonly #isLogged: boolean;
  readonly #vidOf: (vendorId: number) => string | undefined;

  constructor(options: {
    readonly log: Logger;
    readonly vidOf: (vendorId: number) => string | undefined;
  }) {
    this.#log = options.log;
    this.#isLogged = options.log.isLevelEnabled('info');
    this.#vidOf = options.vidOf;
  }

  /** Notes how a single create ends. */
  async create(
    of: { readonly vendorId: number; readonly billerCode: string | undefined },
    accepting: Promise<Created>,
  ): Promise<Created> {
    const beganMs = performance.now();
    try {
      const created = await accepting;
      // A repeat was noted when it came first.
      if (!created.replayed) {
        const { vendorId, billerCode = 'unknown' } = of;
        const { reference } = created;
        this.accepted({ vendorId, billerCode, reference }, performance.now() - beganMs);
      }
      return created;
    } catch (error) {
      this.refused(error, { ...of, durationMs: performance.now() - beganMs });
      throw error;
    }
  }

  accepted(
    payment: Pick<NewPayment, 'vendorId' | 'billerCode'> & Pick<Created, 'reference'>,
    durationMs?: number,
  ): void {
    const { reference, vendorId, billerCode: biller } = payment;
    this.outcomes.add({ biller, outcome: 'accepted' });
    if (isTracing()) {
      const paymentId = decodeReference(reference)?.paymentId ?? '';
      traceEvent('payment accepted', paymentId, {
        'malipo.reference': reference,
        'malipo.biller': biller,
      });
    }
    if (!this.#isLogged) return;
    const vid = this.#vidOf(vendorId);
    this.#log.info({ reference, vid, biller, ...inWholeMs(durationMs) }, 'payment accepted');
  }

  /** The payments of a file, which are accepted together. */
  allAccepted(payments: readonly NewPayment[]): void {
    for (const { vendorId, paymentId, billerCode } of payments) {
      this.accepted({ vendorId, billerCode, reference: encodeReference(vendorId, paymentId) });
    }
  }

  /** A file whose rows are all decided: one line, with the numbers of refused rows by error code. */
  fileDecided(file: EndedBatch): void {
    if (!this.#isLogged) return;
    const { batchId, rowCount: rows, refusals } = file;
    const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
    const vid = this.#vidOf(file.vendorId);
    this.#log.info(
      { vid, batch_id: batchId, rows, accepted: rows - refused, refused, refusals },
      'payment file decided',
    );
  }

  /** @param of.billerCode undefined: the request names no known biller. */
  refused(
    error: unknown,
    of: {
      readonly vendorId: number;
      readonly billerCode: string | undefined;
      readonly durationMs: number;
    },
  ): void {
    const code = error instanceof Refusal ? error.code : 'internal_error';
    const biller = of.billerCode ?? 'unknown';
    const isKnown = code !== 'outcome_unknown';
    this.outcomes.add({ biller, outcome: isKnown ? 'refused' : 'unconfirmed' });
    this.refusals.add({ biller, code });
    if (!this.#isLogged) return;
    const vid = this.#vidOf(of.vendorId);
    this.#log.info(
      { vid, biller, code, ...inWholeMs(of.durationMs) },
      isKnown ? 'payment refused' : 'payment unconfirmed',
    );
  }

  /** Counts nothing. Without a 0 before it, Prometheus does not see the first unanswered payments as a rise. */
  answered(biller: string): void {
    this.outcomes.add({ biller, outcome: 'unanswered' }, 0);
  }

  unanswered(payment: Unanswered): void {
    const { billerCode: biller, operatorCode: operator, reason } = payment;
    this.outcomes.add({ biller, outcome: 'unanswered' });
    this.#log.warn(
      { ...this.#keyOf(payment), biller, operator, reason, ...inWholeMs(payment.durationMs) },
      'payment unanswered: its operator will be asked about it',
    );
  }

  /** Notes a settled payment, with the time since it was accepted. */
  settled(report: FinalReport): void {
    const { billerCode: biller, outcome } = report;
    this.outcomes.add({ biller, outcome });
    traceEvent('payment settled', report.paymentId, {
      'malipo.outcome': outcome,
      'malipo.source': report.source,
    });
    if (!this.#isLogged) return;
    const acceptedMs = timeOfId(report.paymentId);
    this.#log.info(
      {
        ...this.#keyOf(report),
        biller,
        // Absent: two people decided about the operator that had the instruction.
        operator: report.operatorCode ?? undefined,
        outcome,
        code: report.failureCode ?? undefined,
        source: report.source,
        ...inWholeMs(acceptedMs === undefined ? undefined : Date.now() - acceptedMs),
      },
      'payment settled',
    );
  }

  #keyOf({ vendorId, paymentId }: PaymentKey) {
    return { reference: encodeReference(vendorId, paymentId), vid: this.#vidOf(vendorId) };
  }
}

function inWholeMs(durationMs: number | undefined): { readonly durationMs?: number } {
  return durationMs === undefined ? {} : { durationMs: Math.round(durationMs) };
}
