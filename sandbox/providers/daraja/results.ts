import { descriptionOf } from './result-codes.ts';

/** Every accepted request has these two ids; both are Daraja's own. */
export interface Ids {
  readonly originatorConversationId: string;
  readonly conversationId: string;
}

/** What is paid: a pay bill, a till, or a customer's phone. */
export type Product = 'pay_bill' | 'till' | 'phone';

/** A payment request as it came. */
export interface Order extends Ids {
  readonly product: Product;
  readonly receipt: string;
  /** The account reference; for a phone, its number. */
  readonly account: string;
  /** Short code of the receiver; for a phone, its number. */
  readonly receiver: string;
  readonly payer: string;
  /** Whole shillings, as instructed. */
  readonly amount: number;
  readonly resultUrl: string;
  readonly timeoutUrl: string;
}

/** `YYYYMMDDHHMMSS` in East Africa. */
export function stamp(atMs: number): string {
  return new Date(atMs + 3 * 3_600_000).toISOString().replaceAll(/[-:T]|\..*/g, '');
}

interface Paid {
  readonly amount: number;
  readonly atMs: number;
}

export function paidResult(order: Order, paid: Paid) {
  return order.product === 'phone' ? phoneResult(order, paid) : businessResult(order, paid);
}

function businessResult(order: Order, paid: Paid) {
  return {
    Result: {
      ...idsOf(order, '0', 'The service request is processed successfully'),
      TransactionID: order.receipt,
      ResultParameters: {
        ResultParameter: [
          {
            Key: 'DebitAccountBalance',
            Value: '{Amount={CurrencyCode=KES, MinimumAmount=618683, BasicAmount=6186.83}}',
          },
          { Key: 'Amount', Value: `${paid.amount}.00` },
          {
            Key: 'DebitPartyAffectedAccountBalance',
            Value: 'Working Account|KES|346568.83|6186.83|340382.00|0.00',
          },
          { Key: 'TransCompletedTime', Value: stamp(paid.atMs) },
          { Key: 'DebitPartyCharges', Value: '' },
          { Key: 'ReceiverPartyPublicName', Value: `${order.receiver} - Example Water` },
          { Key: 'Currency', Value: 'KES' },
        ],
      },
      ReferenceData: {
        ReferenceItem: [
          { Key: 'BillReferenceNumber', Value: order.account },
          { Key: 'QueueTimeoutURL', Value: order.timeoutUrl },
        ],
      },
    },
  };
}

/** The balances after it are numbers; the reference item is one object. */
function phoneResult(order: Order, paid: Paid) {
  const [date = '', time = ''] = new Date(paid.atMs + 3 * 3_600_000).toISOString().split(/[T.]/);
  return {
    Result: {
      ...idsOf(order, 0, 'The service request is processed successfully.'),
      TransactionID: order.receipt,
      ResultParameters: {
        ResultParameter: [
          { Key: 'TransactionAmount', Value: paid.amount },
          { Key: 'TransactionReceipt', Value: order.receipt },
          { Key: 'ReceiverPartyPublicName', Value: `${order.receiver} - TEST CUSTOMER` },
          {
            Key: 'TransactionCompletedDateTime',
            Value: `${date.split('-').toReversed().join('.')} ${time}`,
          },
          { Key: 'B2CUtilityAccountAvailableFunds', Value: 8_959_269.6 },
          { Key: 'B2CWorkingAccountAvailableFunds', Value: 1_199_371 },
          { Key: 'B2CRecipientIsRegisteredCustomer', Value: 'Y' },
          { Key: 'B2CChargesPaidAccountAvailableFunds', Value: -1980 },
        ],
      },
      ReferenceData: { ReferenceItem: timeoutItem(order) },
    },
  };
}

function timeoutItem({ timeoutUrl }: Order) {
  return { Key: 'QueueTimeoutURL', Value: timeoutUrl };
}

/** As the real one writes it when there is a single parameter. */
export function terseResult(order: Order, paid: { readonly amount: number }) {
  return {
    Result: {
      ...idsOf(order, 0, 'The service request is processed successfully'),
      TransactionID: order.receipt,
      ResultParameters: { ResultParameter: { Key: 'Amount', Value: paid.amount } },
      ReferenceData: { ReferenceItem: { Key: 'Occassion' } },
    },
  };
}

/** Codes are texts for pay bills, and numbers for the others. */
export function declinedResult(order: Order, code: string, atMs: number) {
  const isText = order.product === 'pay_bill' || !/^\d+$/.test(code);
  const bill = [{ Key: 'BillReferenceNumber', Value: order.account }];
  return {
    Result: {
      ...idsOf(order, isText ? code : Number(code), descriptionOf(code)),
      // A filler that several failures share.
      TransactionID: 'UA50000000',
      // Payments to phones have none when they fail.
      ...(order.product !== 'phone' && {
        ResultParameters: { ResultParameter: { Key: 'BOCompletedTime', Value: stamp(atMs) } },
      }),
      ReferenceData: { ReferenceItem: order.product === 'pay_bill' ? bill : timeoutItem(order) },
    },
  };
}

function idsOf(order: Order, code: string | number, description: string) {
  return {
    ResultType: typeof code === 'number' ? 0 : '0',
    ResultCode: code,
    ResultDesc: description,
    OriginatorConversationID: order.originatorConversationId,
    ConversationID: order.conversationId,
  };
}

const REASONS: Readonly<Record<Product, string>> = {
  pay_bill: 'Pay Bill Online',
  till: 'Buy Goods Online',
  phone: 'Business Payment to Customer via API',
};

/** The answer to a status query: the outer ids are the query's own. */
export function statusResult(
  query: Ids,
  order: Order,
  state: { readonly status: string; readonly amount: number; readonly atMs: number },
) {
  return {
    Result: {
      ResultType: 0,
      ResultCode: 0,
      ResultDesc: 'The service request is processed successfully.',
      OriginatorConversationID: query.originatorConversationId,
      ConversationID: query.conversationId,
      TransactionID: 'UA50000000',
      ReferenceData: { ReferenceItem: { Key: 'Occasion' } },
      ResultParameters: {
        ResultParameter: [
          { Key: 'DebitPartyName', Value: `${order.payer} - Example Vendor` },
          { Key: 'DebitPartyName', Value: `${order.receiver} - Example Water` },
          { Key: 'OriginatorConversationID', Value: order.originatorConversationId },
          { Key: 'InitiatedTime', Value: stamp(state.atMs) },
          {
            Key: 'DebitAccountType',
            Value: order.product === 'phone' ? 'Utility Account' : 'Working Account',
          },
          order.product === 'phone'
            ? { Key: 'DebitPartyCharges', Value: 'Fee For B2C Payment|KES|22.40' }
            : { Key: 'DebitPartyCharges' },
          { Key: 'TransactionReason' },
          { Key: 'ReasonType', Value: REASONS[order.product] },
          { Key: 'TransactionStatus', Value: state.status },
          { Key: 'FinalisedTime', Value: stamp(state.atMs) },
          { Key: 'Amount', Value: String(state.amount) },
          { Key: 'ConversationID', Value: order.conversationId },
          { Key: 'ReceiptNo', Value: order.receipt },
        ],
      },
    },
  };
}

/** A query that itself failed. It says nothing about the payment. */
export function failedQuery(query: Ids) {
  return {
    Result: {
      ResultType: 0,
      ResultCode: 25,
      ResultDesc: 'Invalid parameters',
      OriginatorConversationID: query.originatorConversationId,
      ConversationID: query.conversationId,
      TransactionID: 'UA50000000',
    },
  };
}

export function balanceResult(
  query: Ids,
  balance: { readonly amount: number; readonly atMs: number },
) {
  const working = `${balance.amount}.00`;
  return {
    Result: {
      ResultType: '0',
      ResultCode: '0',
      ResultDesc: 'The service request is processed successfully',
      OriginatorConversationID: query.originatorConversationId,
      ConversationID: query.conversationId,
      TransactionID: 'UA50000000',
      ResultParameters: {
        ResultParameter: [
          {
            Key: 'AccountBalance',
            Value: `Working Account|KES|${working}|${working}|0.00|0.00&Utility Account|KES|228037.00|228037.00|0.00|0.00`,
          },
          { Key: 'BOCompletedTime', Value: stamp(balance.atMs) },
        ],
      },
    },
  };
}
