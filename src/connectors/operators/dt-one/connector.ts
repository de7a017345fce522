import { kenyanMobileNumber } from '../../../platform/base/mobile-number.ts';
import type { PaymentInstruction, StatusQuery } from '../../operator-outcomes.ts';
import type { AccountQuery, Connector } from '../../operator.ts';
import { openApi } from '../../http-api.ts';
import type { ApiCall, ApiOptions, ApiRequest } from '../../http-api.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
import { createCallbacks, TRANSACTION } from './callbacks.ts';
import { classifyInstruction, classifyPrepare, classifyStatus, readAnswer } from './classify.ts';
import { DT_ONE } from './declaration.ts';
import {
  readBalance,
  readMobileNumber,
  readStatement,
  readStatementInquiry,
  windowOf,
} from './lookups.ts';
import { readProducts } from './products.ts';
import type { BillersOf } from './products.ts';
import { createRequest, paths as urls } from './requests.ts';
import type { CreditParty, Mode } from './requests.ts';
import { isTransactionId } from './transaction.ts';
import type { Expected } from './transaction.ts';

/** The product, or the products, that payments of one biller buy. */
export interface BillerRule {
  /** A product with a range of amounts, or one for each amount in cents. */
  readonly product: number | ReadonlyMap<bigint, number>;
  readonly identifier: 'account_number' | 'mobile_number';
  readonly hasStatementInquiry: boolean;
}

export interface DtOneOptions extends ApiOptions {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly billers: ReadonlyMap<string, BillerRule>;
  readonly mode: Mode;
  readonly confirm: 'two_step' | 'at_once';
  /** With `at_once`: when an empty list for our external_id is proof; null: never. */
  readonly acceptanceWindowMs: number | null;
  readonly caseAfterMs: number;
  readonly callbackUrl: string;
  readonly paths: SecretPaths;
}

/** DT One: our own key, one step or two, and a look-up that settles. */
export function createDtOneConnector(options: DtOneOptions): Connector {
  const basic = Buffer.from(`${options.apiKey}:${options.apiSecret}`).toString('base64');
  const api = openApi(options, { authorization: `Basic ${basic}`, accept: 'application/json' });
  const { call } = api;
  const { billers, payTimeoutMs, statusTimeoutMs } = options;
  const isTwoStep = options.confirm === 'two_step';
  return {
    declaration: DT_ONE,
    // An unconfirmed transaction was not executed, so in two steps there is no window to wait for.
    acceptanceWindowMs: isTwoStep ? 0 : options.acceptanceWindowMs,
    // A status query is at most two requests.
    payDeadlineMs: Math.max(payTimeoutMs, 2 * statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: isTwoStep
      ? {
          deadlineMs: statusTimeoutMs,
          async prepare(instruction, signal) {
            const expected = expectedOf(instruction, billers);
            if ('kind' in expected) return expected;
            const request = creation(instruction, expected, options);
            const ending = await call(request, { deadlineMs: statusTimeoutMs, signal });
            return classifyPrepare(ending, expected);
          },
        }
      : null,
    async pay(instruction, signal) {
      const expected = expectedOf(instruction, billers);
      if ('kind' in expected) return expected;
      const id = instruction.operatorHandle;
      if (isTwoStep && !isTransactionId(id)) {
        return unknown('a transaction with this external_id exists already', true);
      }
      const request = isTransactionId(id)
        ? ({ method: 'POST', path: urls.confirm(options.mode, id) } as const)
        : creation(instruction, expected, options);
      const ending = await call(request, { deadlineMs: payTimeoutMs, signal });
      return classifyInstruction(ending, expected);
    },
    status: createStatus(call, options),
    ...createLookups(call, options),
    quote: null,
    callbacks: createCallbacks(options.paths, (sent) => {
      const expected = expectedOf(sent, billers);
      return 'kind' in expected ? undefined : expected;
    }),
    close: api.close,
  };
}

function createStatus(call: ApiCall, options: DtOneOptions): NonNullable<Connector['status']> {
  const { statusTimeoutMs: deadlineMs } = options;
  return async (query, signal) => {
    const expected = expectedOf(query, options.billers);
    if ('kind' in expected) return unknown('the biller has no product any more', true);
    const { operatorHandle: id } = query;
    const path = isTransactionId(id)
      ? urls.transaction(id)
      : urls.byExternalId(expected.externalId);
    const isTwoStep = options.confirm === 'two_step';
    const mayTryAgain = isTwoStep || options.acceptanceWindowMs !== null;
    const by = { mayTryAgain, isTaken: id === expected.externalId };
    const ending = await call({ path }, { deadlineMs, signal });
    const found = classifyStatus(ending, expected, by);
    if (found.kind !== 'unconfirmed') return found;
    if (!isTwoStep) return unknown('CREATED', true);
    // Either this or a confirmation in transit arrives first; DT One's answer shows which.
    const cancelling = { method: 'POST', path: urls.cancel(found.id) } as const;
    const answer = await call(cancelling, { deadlineMs, signal });
    const cancelled = classifyStatus(answer, expected, by);
    return cancelled.kind === 'unconfirmed' ? unknown('not cancelled yet', true) : cancelled;
  };
}

function createLookups(
  call: ApiCall,
  options: DtOneOptions,
): Pick<Connector, 'validate' | 'balance' | 'pullStatement' | 'products'> {
  const { billers, statusTimeoutMs: deadlineMs } = options;
  const billerOf = (productId: string): string | null => billerFor(productId, billers);
  return {
    async validate(query, signal) {
      const rule = billers.get(query.billerCode);
      const request = rule && inquiry(query, rule);
      if (rule === undefined || request === undefined) {
        return { kind: 'unknown', reason: 'accounts of this biller cannot be looked up' };
      }
      const answer = readAnswer(await call(request, { deadlineMs, signal }));
      return rule.hasStatementInquiry ? readStatementInquiry(answer) : readMobileNumber(answer);
    },
    async balance(signal) {
      const request = { path: urls.balances };
      return readBalance(readAnswer(await call(request, { deadlineMs, signal })));
    },
    async products(cursor, signal) {
      const page = Number(/^\d{1,6}$/.exec(cursor ?? '')?.[0] ?? 1);
      const request = { path: urls.products(page) };
      const answer = readAnswer(await call(request, { deadlineMs, signal }));
      return readProducts(answer, page, (productId) => boughtBy(productId, billers));
    },
    async pullStatement(query, signal) {
      const window = windowOf(query);
      const request = { path: urls.created(window) };
      const answer = readAnswer(await call(request, { deadlineMs, signal }));
      return readStatement(answer, { window, to: query.to, billerOf });
    },
  };
}

function inquiry({ account }: AccountQuery, rule: BillerRule): ApiRequest | undefined {
  if (rule.hasStatementInquiry && typeof rule.product === 'number') {
    const content = { product_id: rule.product, account_number: account };
    return { path: urls.statementInquiry, json: JSON.stringify(content) };
  }
  const party = partyOf(account, rule);
  if (party === undefined || !('mobile_number' in party)) return undefined;
  return { path: urls.mobileNumber, json: JSON.stringify(party) };
}

function billerFor(productId: string, billers: DtOneOptions['billers']): string | null {
  for (const [billerCode, { product }] of billers) {
    const ids = typeof product === 'number' ? [product] : [...product.values()];
    if (ids.some((id) => String(id) === productId)) return billerCode;
  }
  return null;
}

/** The billers that buy a product, and the fixed amount for which they do. */
function boughtBy(productId: string, billers: DtOneOptions['billers']): ReturnType<BillersOf> {
  const bought = [...billers].flatMap(([billerCode, { product }]) => {
    const pairs: readonly (readonly [bigint | null, number])[] =
      typeof product === 'number' ? [[null, product]] : [...product];
    const found = pairs.find(([, id]) => String(id) === productId);
    return found === undefined ? [] : [{ billerCode, amountCents: found[0] }];
  });
  return {
    billerCodes: bought.map(({ billerCode }) => billerCode),
    amountCents: bought[0]?.amountCents ?? null,
  };
}

/** The transaction that the instruction needs, or why nothing is sent. */
function expectedOf(
  { billerCode, account, amountCents, reference, attemptNumber }: PaymentInstruction | StatusQuery,
  billers: DtOneOptions['billers'],
) {
  const rule = billers.get(billerCode);
  if (rule === undefined) {
    const reason = `no product is configured for ${billerCode}`;
    return notSent(reason, { answered: true, operatorPaused: true });
  }
  const isFixed = typeof rule.product !== 'number';
  const productId = typeof rule.product === 'number' ? rule.product : rule.product.get(amountCents);
  if (productId === undefined) {
    return declined('product', 'amount_not_allowed', 'There is no product for this amount');
  }
  const creditParty = partyOf(account, rule);
  if (creditParty === undefined) {
    return declined('account', 'invalid_account', 'The account is not a mobile number');
  }
  const externalId = `${reference}-${attemptNumber}`;
  return { externalId, productId, creditParty, amountCents, isFixed, attemptNumber };
}

function partyOf(account: string, { identifier }: BillerRule): CreditParty | undefined {
  if (identifier === 'account_number') return { account_number: account };
  const number = kenyanMobileNumber(account);
  return number === undefined ? undefined : { mobile_number: `+${number}` };
}

function creation(
  { reference, attemptNumber }: PaymentInstruction,
  expected: Expected,
  options: DtOneOptions,
): ApiRequest {
  const path = options.paths.make({ kind: TRANSACTION, reference, attemptNumber });
  const content = createRequest({
    ...expected,
    amountCents: expected.isFixed ? null : expected.amountCents,
    confirmsItself: options.confirm === 'at_once',
    callbackUrl: `${options.callbackUrl}/${path}`,
  });
  return { path: urls.create(options.mode), json: JSON.stringify(content) };
}
