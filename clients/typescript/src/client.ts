import { sha256 } from './crypto.ts';
import * as decode from './decode.ts';
import { pollMs } from './decide.ts';
import { fileOf } from './file.ts';
import { MalipoError, OutcomeUnknown, Refused, detailsOf } from './errors.ts';
import { decimalOf } from './money.ts';
import { SelfService } from './self-service.ts';
import { sleep } from './transport.ts';
import type {
  AccountValidation,
  Biller,
  BillerProducts,
  BillerStatus,
  Bulk,
  BulkResult,
  CreatedPayment,
  Movement,
  NewPayment,
  Payment,
  PhoneLookup,
  UploadFile,
} from './types.ts';

/** Time limits of `pay` and `waitFor`. */
export interface Waiting {
  /** Default: 60 s. */
  readonly waitForMs?: number | undefined;
}

/** Names a payment by the service's reference or by your own. */
export type PaymentName = { readonly reference: string } | { readonly merchantReference: string };

/** All operations of a vendor. Every call throws `Refused`, `Unavailable` or `OutcomeUnknown`. */
export class Malipo extends SelfService {
  /** Moves all collected income into the float. */
  async fund(): Promise<Movement> {
    // The same time in every attempt, so that a repeated request gets the answer of the movement.
    const parameters = { currency: 'KES', time: String(Date.now()) };
    const request = { path: '/payments/v2/billing/fund', effect: 'write', parameters } as const;
    return await this.call(request, (body, replayed) =>
      decode.movement(decode.part(body, 'msg'), replayed),
    );
  }

  /** The float in cents. */
  async balance(): Promise<number> {
    return await this.call(
      { path: '/billing/account/balance', effect: 'read', parameters: {} },
      (body) => decode.cents(body['balance']),
    );
  }

  async listBillers(): Promise<Biller[]> {
    return await this.call({ path: '/billing/list', effect: 'read', parameters: {} }, (body) =>
      decode.list(body, 'data').map((wire) => decode.biller(wire)),
    );
  }

  async billerStatus(billerCode: string): Promise<BillerStatus> {
    const parameters = { biller_code: billerCode };
    return await this.call({ path: '/billing/biller/status', effect: 'read', parameters }, (body) =>
      decode.billerStatus(decode.part(body, 'data')),
    );
  }

  async billerProducts(billerCode: string): Promise<BillerProducts> {
    const parameters = { biller_code: billerCode };
    return await this.call(
      { path: '/billing/biller/products', effect: 'read', parameters },
      (body) => decode.products(decode.part(body, 'data')),
    );
  }

  /** Asks the operator whether an account exists. Some billers only. */
  async validate(request: {
    readonly account: string;
    /** The biller's code or name. */
    readonly accountType: string;
    readonly phone?: string | undefined;
  }): Promise<AccountValidation> {
    const { account, accountType, phone } = request;
    const parameters = { account, account_type: accountType, phone };
    return await this.call(
      { path: '/billing/validate/account', effect: 'read', parameters },
      decode.validation,
    );
  }

  /** The mobile operator of a prefix: three digits without the leading 0, such as `722`. */
  async lookup(prefix: string): Promise<PhoneLookup> {
    return await this.call(
      { path: '/billing/phone/lookup', effect: 'read', parameters: { prefix } },
      (body) => decode.lookup(decode.part(body, 'data')),
    );
  }

  /** Queues a payment. Accepted means queued, not paid: see `pay`, `waitFor` and webhooks. */
  async createPayment(payment: NewPayment): Promise<CreatedPayment> {
    const parameters = wirePayment(payment);
    return await this.call(
      { path: '/transaction/create', effect: 'write', parameters },
      (body, replayed) => decode.created(decode.part(body, 'msg'), replayed),
    );
  }

  async status(name: PaymentName): Promise<Payment> {
    return await this.#status(name);
  }

  async #status(name: PaymentName, retryForMs?: number): Promise<Payment> {
    const parameters =
      'reference' in name
        ? { reference: name.reference }
        : { merchant_reference: name.merchantReference };
    return await this.call(
      { path: '/transaction/check/status', effect: 'read', parameters, retryForMs },
      (body) => decode.payment(decode.part(body, 'msg')),
    );
  }

  /**
   * Creates a payment, waits, and returns its final state, which is `SUCCESS` or `FAILED`. After an
   * `OutcomeUnknown` or `Unavailable`, call it again with the same `merchantReference`: it goes on
   * with the same payment.
   */
  async pay(payment: NewPayment, waiting: Waiting = {}): Promise<Payment> {
    const { reference } = await this.createPayment(payment);
    return await this.waitFor({ reference }, waiting);
  }

  /** Waits until an accepted payment is final. Throws `OutcomeUnknown` if it is not final in time. */
  async waitFor(name: PaymentName, { waitForMs = 60_000 }: Waiting = {}): Promise<Payment> {
    const deadline = performance.now() + waitForMs;
    let payment: Payment | null = null;
    for (let queries = 1; ; queries += 1) {
      let cause: unknown;
      let wait = pollMs(queries);
      try {
        payment = await this.#status(name, 0);
        if (payment.status === 'SUCCESS' || payment.status === 'FAILED') return payment;
      } catch (error) {
        if (!(error instanceof MalipoError)) throw error;
        // The payment was accepted, so a refused query says nothing about it.
        if (error instanceof Refused)
          throw new OutcomeUnknown(error, queries, { cause: error, payment });
        cause = error;
        wait = Math.max(wait, (error.retryAfterSeconds ?? 0) * 1000);
      }
      if (performance.now() + wait > deadline) {
        const text = `The payment is not final after ${waitForMs} ms; it may still be paid`;
        const reference = payment?.reference ?? ('reference' in name ? name.reference : null);
        const details = detailsOf({ code: 'not_final', text, reference });
        throw new OutcomeUnknown(details, queries, { cause, payment });
      }
      await sleep(wait);
    }
  }

  /**
   * Sends up to 5,000 payments as one file: rows, or a file as you have it. If you do not know
   * whether it arrived, call it again with the same `batchReference` and the same payments.
   */
  async bulkCreate(request: {
    readonly batchReference: string;
    readonly payments: readonly NewPayment[] | UploadFile;
  }): Promise<Bulk> {
    const { batchReference, payments } = request;
    const file = 'bytes' in payments ? payments : fileOf(payments.map(wirePayment));
    const parameters = { batch_reference: batchReference, sha256: await sha256(file.bytes) };
    return await this.call(
      { path: '/transaction/bulk', effect: 'write', parameters, file },
      (body) => decode.bulk(decode.part(body, 'msg')),
    );
  }

  async bulkStatus(batchReference: string): Promise<Bulk> {
    const parameters = { batch_reference: batchReference };
    return await this.call(
      { path: '/transaction/bulk/status', effect: 'read', parameters },
      (body) => decode.bulk(decode.part(body, 'msg')),
    );
  }

  async bulkResult(batchReference: string): Promise<BulkResult> {
    const parameters = { batch_reference: batchReference, format: 'json' };
    return await this.call(
      { path: '/transaction/bulk/result', effect: 'read', parameters },
      decode.bulkResult,
    );
  }
}

function wirePayment(payment: NewPayment) {
  const { billerName, account, amountCents, merchantReference, phone } = payment;
  // Without one, repeating a request that got no answer could pay twice.
  if (typeof merchantReference !== 'string' || merchantReference.trim() === '') {
    throw new TypeError('merchantReference is empty: it identifies the payment, so it is required');
  }
  return {
    biller_name: billerName,
    account,
    amount: decimalOf(amountCents),
    merchant_reference: merchantReference,
    phone,
  };
}
