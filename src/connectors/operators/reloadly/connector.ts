import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { PaymentInstruction, PaymentOutcome } from '../../operator-outcomes.ts';
import type { Connector, Preparation } from '../../operator.ts';
import type { HttpApi } from '../../http-api.ts';
import { declined, notSent } from '../../outcomes.ts';
import type { Limit } from '../../with-token.ts';
import { createCallbacks } from './callbacks.ts';
import type { WebhookSecret } from './callbacks.ts';
import { classifyReport, classifyTopUp, readBody, readError } from './classify.ts';
import type { Asked } from './classify.ts';
import { createClient } from './client.ts';
import type { ClientOptions } from './client.ts';
import { RELOADLY } from './declaration.ts';
import { formatHandle, parseHandle } from './handle.ts';
import { checkNetwork } from './network.ts';
import { BY_NUMBER, createQuestions, NO_PHONE } from './questions.ts';
import { networkPath, phoneOf, reportPath, topUpRequest } from './requests.ts';
import type { AmountsIn } from './requests.ts';

export interface ReloadlyOptions extends ClientOptions {
  /** By biller code: Reloadly's number of the network, or `by_number` to look it up each time. */
  readonly billers: ReadonlyMap<string, string>;
  /** ISO 3166-1 alpha-2, of the recipients. */
  readonly country: string;
  readonly amountsIn: AmountsIn;
  /** Whose exchange rate converts our wallet; null: the wallet is in our currency. */
  readonly rateOf: string | null;
  readonly acceptanceWindowMs: number | null;
  readonly settlesAfterMs: number;
  readonly caseAfterMs: number;
  readonly webhookSecrets: readonly WebhookSecret[];
  readonly toleranceMs: number;
}

/** Airtime, with the result in the response, a report that can be queried, and signed callbacks. */
export function createReloadlyConnector(options: ReloadlyOptions): Connector {
  const { amountsIn, statusTimeoutMs, payTimeoutMs } = options;
  const client = createClient(options);
  const askedOf = (
    query: Pick<PaymentInstruction, 'reference' | 'account' | 'operatorHandle'>,
  ): Asked => ({
    reference: query.reference,
    account: query.account,
    amountsIn,
    handle: parseHandle(query.operatorHandle),
    nowMs: Date.now(),
    settlesAfterMs: options.settlesAfterMs,
  });
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: statusTimeoutMs, signal });
  const askReport = async (reference: string, signal: AbortSignal): Promise<Ending> =>
    await client.call({ path: reportPath(reference) }, asking(signal));
  const findEarlier = async (instruction: PaymentInstruction, signal: AbortSignal) => {
    const ending = await askReport(instruction.reference, signal);
    return beforeRepeat(ending, askedOf(instruction));
  };
  return {
    declaration: RELOADLY,
    acceptanceWindowMs: options.acceptanceWindowMs,
    payDeadlineMs: payTimeoutMs + statusTimeoutMs,
    caseAfterMs: options.caseAfterMs,
    prepare: [...options.billers.values()].includes(BY_NUMBER)
      ? createPreparation(options, client)
      : null,
    async pay(instruction, signal) {
      const topUp = topUpOf(instruction, options);
      if ('kind' in topUp) return topUp;
      const earlier =
        instruction.attemptNumber === 1 ? null : await findEarlier(instruction, signal);
      if (earlier !== null) return earlier;
      const limit = { deadlineMs: payTimeoutMs, signal };
      const json = JSON.stringify(topUpRequest(topUp, options));
      const ending = await client.call({ path: '/topups', json }, limit);
      return classifyTopUp(ending, askedOf(instruction));
    },
    status: async (query, signal) =>
      classifyReport(await askReport(query.reference, signal), askedOf(query)),
    pullStatement: null,
    ...createQuestions(options, client),
    callbacks: createCallbacks({
      secrets: options.webhookSecrets,
      toleranceMs: options.toleranceMs,
      bodyBytes: options.answerBytes,
      amountsIn,
    }),
    close: client.close,
  };
}

/** The network of the number, which may have been ported. The instruction names it. */
function createPreparation(options: ReloadlyOptions, client: HttpApi): Preparation {
  return {
    deadlineMs: options.statusTimeoutMs,
    async prepare({ billerCode, account, amountCents }, signal) {
      const networkId = options.billers.get(billerCode);
      if (networkId === undefined) return noNetwork(billerCode);
      const phone = phoneOf(account);
      if (phone === undefined) return declined('account', 'invalid_account', NO_PHONE);
      if (networkId !== BY_NUMBER) return prepared(networkId);
      const limit = { deadlineMs: options.statusTimeoutMs, signal };
      const ending = await client.call({ path: networkPath(phone, options.country) }, limit);
      const network = checkNetwork(ending, { amountCents, amountsIn: options.amountsIn });
      return 'kind' in network ? network : prepared(network.id);
    },
  };
}

function prepared(networkId: string) {
  const operatorHandle = formatHandle({ networkId, refused: null });
  return { kind: 'prepared', operatorHandle } as const;
}

function noNetwork(billerCode: string) {
  const reason = `no network is configured for ${billerCode}`;
  return notSent(reason, { answered: true, operatorPaused: true });
}

/** Returns the top-up to send, or the reason why nothing is sent. */
function topUpOf(instruction: PaymentInstruction, options: ReloadlyOptions) {
  const { reference, billerCode, account, amountCents, operatorHandle } = instruction;
  const configured = options.billers.get(billerCode);
  const networkId = configured === BY_NUMBER ? parseHandle(operatorHandle).networkId : configured;
  if (networkId === undefined || networkId === null) return noNetwork(billerCode);
  const phone = phoneOf(account);
  if (phone === undefined) return declined('account', 'invalid_account', NO_PHONE);
  return { networkId, reference, phone, amountCents };
}

/**
 * Called before an instruction is repeated. That happens only when the earlier ones are proven not
 * executed; this is a second guard, because Reloadly's check of our identifier fails under concurrency.
 * Null: the report lists nothing, so the instruction may be sent.
 */
function beforeRepeat(ending: Ending, asked: Asked): PaymentOutcome | null {
  if (readBody(ending) === undefined) {
    const answered = readError(ending) !== undefined;
    return notSent('the report could not be read before repeating the instruction', { answered });
  }
  const known = classifyReport(ending, asked);
  switch (known.kind) {
    case 'not_found':
      return null;
    case 'reversed':
      return declined('REFUNDED', 'declined', known.message);
    default:
      return known;
  }
}
