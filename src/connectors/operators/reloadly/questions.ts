import { CURRENCY } from '../../../platform/base/money.ts';
import type { BalanceAnswer, Connector, QuoteAnswer } from '../../operator.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import type { HttpApi } from '../../http-api.ts';
import { objectOf, textOf } from '../../values.ts';
import type { Limit } from '../../with-token.ts';
import { readBody, readError, refused } from './classify.ts';
import { readNetwork } from './network.ts';
import { readProducts } from './products.ts';
import { networkPath, networksPath, phoneOf, quoteRequest } from './requests.ts';
import type { AmountsIn } from './requests.ts';
import { convertedCents, wholeCentsOf } from './transaction.ts';

/** Instead of a network's number: the one that the recipient's number belongs to. */
export const BY_NUMBER = 'by_number';
export const NO_PHONE = 'The account is not a phone number';

export interface QuestionOptions {
  readonly billers: ReadonlyMap<string, string>;
  readonly country: string;
  readonly amountsIn: AmountsIn;
  readonly rateOf: string | null;
  readonly statusTimeoutMs: number;
}

/** Queries that need no payment: a number, our float, and the amount that a recipient would get. */
export function createQuestions(
  options: QuestionOptions,
  client: HttpApi,
): Pick<Connector, 'validate' | 'balance' | 'quote' | 'products'> {
  const { billers, country, amountsIn } = options;
  const limitOf = (signal: AbortSignal): Limit => ({
    deadlineMs: options.statusTimeoutMs,
    signal,
  });
  return {
    async validate({ billerCode, account }, signal) {
      const phone = phoneOf(account);
      if (phone === undefined) return { kind: 'invalid', message: NO_PHONE };
      const ending = await client.call({ path: networkPath(phone, country) }, limitOf(signal));
      const refusal = refused(ending);
      if (refusal?.kind === 'declined') return { kind: 'invalid', message: refusal.message };
      const network = readNetwork(readBody(ending));
      if (network === undefined) return { kind: 'unknown', reason: 'no answer about the number' };
      const wanted = billers.get(billerCode);
      return wanted === undefined || wanted === BY_NUMBER || wanted === network.id
        ? { kind: 'valid', name: null, amountDueCents: null, dueDate: null }
        : { kind: 'invalid', message: 'The number belongs to another network' };
    },
    products: async (_cursor, signal) => {
      const ending = await client.call({ path: networksPath(country) }, limitOf(signal));
      return readProducts(ending, { amountsIn, billers });
    },
    balance: async (signal) => await balanceOf(client, options, limitOf(signal)),
    // From KES to KES there is no exchange.
    quote:
      amountsIn === 'recipient'
        ? null
        : async ({ billerCode, account, amountCents }, signal) => {
            const networkId = billers.get(billerCode);
            const fixed = networkId === BY_NUMBER ? undefined : networkId;
            const asked = { networkId: fixed, phone: phoneOf(account), amountCents, country };
            return await quoteOf(client, asked, limitOf(signal));
          },
  };
}

/** In our currency, rounded down. */
async function balanceOf(
  client: HttpApi,
  { rateOf }: QuestionOptions,
  limit: Limit,
): Promise<BalanceAnswer> {
  const ending = await client.call({ path: '/accounts/balance' }, limit);
  const body = objectOf(readBody(ending));
  const amount = textOf(body?.['balance']);
  const currency = body?.['currencyCode'];
  if (amount === undefined) {
    const reason = ending.kind === 'answer' ? readError(ending)?.code : ending.reason;
    return { kind: 'unknown', reason: reason ?? 'the answer has no balance' };
  }
  const balanceCents =
    currency === CURRENCY
      ? wholeCentsOf(amount)
      : await converted(client, { amount, rateOf }, limit);
  return balanceCents === undefined
    ? {
        kind: 'unknown',
        reason: 'no exchange rate for the wallet: see the setting rate_of',
        answered: true,
      }
    : { kind: 'balance', balanceCents };
}

async function converted(
  client: HttpApi,
  { amount, rateOf }: { readonly amount: string; readonly rateOf: string | null },
  limit: Limit,
): Promise<bigint | undefined> {
  if (rateOf === null) return undefined;
  const network = readNetwork(readBody(await client.call({ path: `/operators/${rateOf}` }, limit)));
  // The rate is to the network's own currency, which must be ours.
  const isOurs = network?.values['destinationCurrencyCode'] === CURRENCY;
  return isOurs ? convertedCents(amount, network?.rate) : undefined;
}

async function quoteOf(
  client: HttpApi,
  asked: {
    readonly networkId: string | undefined;
    readonly phone: string | undefined;
    readonly country: string;
    readonly amountCents: bigint;
  },
  limit: Limit,
): Promise<QuoteAnswer> {
  if (asked.phone === undefined) return { kind: 'unknown', reason: NO_PHONE };
  const networkId =
    asked.networkId ??
    readNetwork(
      readBody(await client.call({ path: networkPath(asked.phone, asked.country) }, limit)),
    )?.id;
  if (networkId === undefined) return { kind: 'unknown', reason: 'the network is not known' };
  const content = quoteRequest(networkId, asked.amountCents);
  const ending = await client.call(
    { path: '/operators/fx-rate', json: JSON.stringify(content) },
    limit,
  );
  const body = objectOf(readBody(ending));
  const amount = textOf(body?.['fxRate']);
  const currency = textOf(body?.['currencyCode']);
  if (amount === undefined || !/^\d{1,12}(\.\d{1,12})?$/.test(amount) || currency === undefined) {
    return { kind: 'unknown', reason: readError(ending)?.code ?? 'no exchange rate' };
  }
  return { kind: 'quote', amount, currency: cleanMessage(currency).slice(0, 3) };
}
