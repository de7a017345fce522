import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import type {
  CallbackReading,
  CallbackRequest,
  PaymentFinder,
} from '../../src/connectors/operator-callbacks.ts';
import type {
  FinalOutcome,
  PaymentInstruction,
  PaymentOutcome,
  StatusOutcome,
} from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import {
  afterInstruction,
  afterStatusQuery,
  finalReport,
  provesAfterMsOf,
} from '../../src/payments/dispatch/next-step.ts';
import type { NextStep } from '../../src/payments/dispatch/next-step.ts';
import type { Claim } from '../../src/payments/dispatch/store.ts';
import type { FinalReport } from '../../src/payments/create/payment.ts';

/** Waits of the dispatcher, in simulated time. */
const POLICY = {
  verifyFirstMs: 30_000,
  verifyMaxMs: 600_000,
  resendFirstMs: 1_000,
  resendMaxMs: 1_000,
};
const MAX_STEPS = 10;
/** Real time between two checks of an emulator that cannot say when it is done. */
const LOOK_MS = 10;

/** One payment in progress, as the dispatcher stores it. */
export class Journey {
  readonly paymentId = newId();
  readonly reference = encodeReference(7, this.paymentId);
  readonly final: FinalReport[] = [];
  /** Callbacks that did not fit the payment, or that were refused. */
  readonly rejected: CallbackReading[] = [];
  opensCase = false;
  instructions = 0;
  handle: string | null = null;
  #stage: 'send' | 'verify' = 'send';
  #attemptAgeMs = 0;
  #verifyCount = 0;
  readonly #connector: Connector;
  readonly #about: {
    readonly billerCode: string;
    readonly account: string;
    readonly amountCents: bigint;
  };

  constructor(
    connector: Connector,
    about: { readonly billerCode: string; readonly account: string; readonly amountCents: bigint },
  ) {
    this.#connector = connector;
    this.#about = about;
  }

  get outcome(): 'success' | 'failed' | 'open' {
    return this.final[0]?.outcome ?? 'open';
  }

  /** The payment of a callback that names it by reference or by handle. */
  get finder(): PaymentFinder {
    const sent = async () => ({
      ...this.#instruction(),
      isOpen: this.outcome === 'open',
    });
    return {
      byReference: async (reference) => (reference === this.reference ? await sent() : undefined),
      byHandle: async (handle) => (handle === this.handle ? await sent() : undefined),
    };
  }

  /** One instruction, or one status query. */
  async step(): Promise<void> {
    const signal = new AbortController().signal;
    const next = this.#stage === 'send' ? await this.#send(signal) : await this.#verify(signal);
    if (next.kind === 'settle') {
      this.final.push(next.report);
      return;
    }
    this.#stage = next.progress.next;
    this.handle = this.#stage === 'send' ? null : (next.progress.operatorHandle ?? this.handle);
    this.#attemptAgeMs += next.progress.delayMs;
    this.opensCase ||= next.opensCase === true;
  }

  /** Does what the callback receiver does with a callback. Returns what the connector read. */
  async callback(request: CallbackRequest): Promise<CallbackReading> {
    const { callbacks } = this.#connector;
    if (callbacks === null) throw new Error('the protocol has no callbacks');
    const reading = await callbacks.read(request, this.finder);
    if (reading.kind !== 'reports') {
      this.rejected.push(reading);
      return reading;
    }
    for (const { reference, outcome } of reading.reports) {
      if (reference !== this.reference || outcome.kind === 'mismatch') this.rejected.push(reading);
      else if (outcome.kind !== 'hint') this.#settle(outcome, 'callback');
      else if (this.outcome === 'open') this.handle = outcome.operatorHandle ?? this.handle;
      else if (outcome.says !== null) this.#settle(outcome.says, 'callback');
    }
    return reading;
  }

  #settle(outcome: FinalOutcome, source: 'callback'): void {
    this.final.push(
      finalReport(
        {
          vendorId: 7,
          paymentId: this.paymentId,
          billerCode: this.#about.billerCode,
          operatorCode: 'operator',
        },
        outcome,
        source,
      ),
    );
  }

  #instruction(): PaymentInstruction {
    return {
      ...this.#about,
      reference: this.reference,
      attemptNumber: this.instructions,
      phone: null,
      operatorHandle: this.handle,
    };
  }

  #claim(): Claim {
    return {
      ...this.#about,
      vendorId: 7,
      paymentId: this.paymentId,
      stage: this.#stage,
      claimNumber: 1,
      attemptNumber: this.instructions,
      verifyCount: this.#verifyCount,
      attemptAgeMs: this.#attemptAgeMs,
      operatorHandle: this.handle,
      phone: null,
      operatorCode: 'operator',
      operatorVersion: 1,
      wantedIndex: 0,
    };
  }

  async #send(signal: AbortSignal): Promise<NextStep> {
    this.instructions += 1;
    this.#attemptAgeMs = 0;
    this.#verifyCount = 0;
    const { prepare } = this.#connector;
    let outcome: PaymentOutcome | undefined;
    if (prepare !== null) {
      const prepared = await prepare.prepare(this.#instruction(), signal);
      if (prepared.kind === 'prepared') this.handle = prepared.operatorHandle;
      else outcome = prepared;
    }
    outcome ??= await this.#connector.pay(this.#instruction(), signal);
    return afterInstruction(this.#claim(), outcome, { policy: POLICY });
  }

  async #verify(signal: AbortSignal): Promise<NextStep> {
    const { status, caseAfterMs } = this.#connector;
    const nothing: StatusOutcome = {
      kind: 'unknown',
      reason: 'cannot be asked',
      operatorHandle: null,
      answered: true,
    };
    const outcome = status === null ? nothing : await status(this.#instruction(), signal);
    this.#verifyCount += 1;
    return afterStatusQuery(this.#claim(), outcome, {
      policy: POLICY,
      provesAfterMs: provesAfterMsOf(this.#connector),
      caseAfterMs,
    });
  }
}

/** Runs a payment to its end, or as far as possible. */
export async function drive(
  journey: Journey,
  by: { readonly take: () => CallbackRequest[]; readonly quiet: (() => Promise<void>) | null },
): Promise<void> {
  for (let step = 0; step < MAX_STEPS && journey.outcome === 'open'; step += 1) {
    await journey.step();
    await (by.quiet === null ? pause(LOOK_MS) : by.quiet());
    for (const request of by.take()) await journey.callback(request);
  }
}
