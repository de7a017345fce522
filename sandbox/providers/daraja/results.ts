/** Every accepted request has these two ids; both are Daraja's own. */
export interface Ids {
  readonly originatorConversationId: string;
  readonly conversationId: string;
}

/** A payment request as it came. */
export interface Order extends Ids {
  readonly receipt: string;
  readonly account: string;
  readonly payBill: string;
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

export function paidResult(order: Order, paid: { readonly amount: number; readonly atMs: number }) {
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
          { Key: 'ReceiverPartyPublicName', Value: `${order.payBill} - Example Water` },
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

/** As the real one writes it when there is a single parameter. */
export function terseResult(order: Order, paid: { readonly amount: number }) {
  return {
    Result: {
      ...idsOf(order, 0, 'The service request is processed successfully'),
      ResultType: 0,
      TransactionID: order.receipt,
      ResultParameters: { ResultParameter: { Key: 'Amount', Value: paid.amount } },
      ReferenceData: { ReferenceItem: { Key: 'Occassion' } },
    },
  };
}

export function declinedResult(order: Order, code: string, atMs: number) {
  return {
    Result: {
      ...idsOf(order, code, 'Declined due to account rule'),
      // A filler that several failures share.
      TransactionID: 'UA50000000',
      ResultParameters: { ResultParameter: { Key: 'BOCompletedTime', Value: stamp(atMs) } },
      ReferenceData: {
        ReferenceItem: [{ Key: 'BillReferenceNumber', Value: order.account }],
      },
    },
  };
}

function idsOf(order: Order, code: string | number, description: string) {
  return {
    ResultType: '0',
    ResultCode: code,
    ResultDesc: description,
    OriginatorConversationID: order.originatorConversationId,
    ConversationID: order.conversationId,
  };
}

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
          { Key: 'DebitPartyName', Value: `${order.payBill} - Example Water` },
          { Key: 'OriginatorConversationID', Value: order.originatorConversationId },
          { Key: 'InitiatedTime', Value: stamp(state.atMs) },
          { Key: 'DebitAccountType', Value: 'Working Account' },
          { Key: 'DebitPartyCharges' },
          { Key: 'TransactionReason' },
          { Key: 'ReasonType', Value: 'Pay Bill Online' },
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
