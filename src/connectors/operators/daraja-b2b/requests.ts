/** The bodies of requests, with the documented names: `Reciever…` and `Occassion` are spelled so. */

export interface Initiator {
  readonly name: string;
  /** The initiator's password, encrypted for Safaricom, in base64. */
  readonly securityCredential: string;
  readonly shortCode: string;
}

export interface CallbackUrls {
  readonly result: string;
  readonly timeout: string;
}

/** Who is paid: a pay bill number, or a till. */
export interface Receiver {
  readonly command: 'BusinessPayBill' | 'BusinessBuyGoods';
  readonly shortCode: string;
  /** `RecieverIdentifierType`. The documents say 4, also of a till; some clients send 2. */
  readonly identifierType: '2' | '4';
}

export interface Bill {
  /** Whole shillings. */
  readonly amount: string;
  readonly receiver: Receiver;
  readonly account: string;
  /** The customer's number; null: unknown. */
  readonly requester: string | null;
  readonly reference: string;
}

export function paymentRequest(by: Initiator, bill: Bill, urls: CallbackUrls): object {
  return {
    Initiator: by.name,
    SecurityCredential: by.securityCredential,
    CommandID: bill.receiver.command,
    SenderIdentifierType: '4',
    RecieverIdentifierType: bill.receiver.identifierType,
    Amount: bill.amount,
    PartyA: by.shortCode,
    PartyB: bill.receiver.shortCode,
    AccountReference: bill.account,
    ...(bill.requester === null ? {} : { Requester: bill.requester }),
    Remarks: bill.reference,
    QueueTimeOutURL: urls.timeout,
    ResultURL: urls.result,
    Occassion: bill.reference,
  };
}

/** The name of a payment in a status query. */
export type AskedFor =
  | { readonly TransactionID: string }
  | { readonly OriginalConversationID: string };

export function statusRequest(by: Initiator, asked: AskedFor, urls: CallbackUrls): object {
  return {
    Initiator: by.name,
    SecurityCredential: by.securityCredential,
    CommandID: 'TransactionStatusQuery',
    ...asked,
    PartyA: by.shortCode,
    IdentifierType: '4',
    ResultURL: urls.result,
    QueueTimeOutURL: urls.timeout,
    Remarks: 'status',
    Occasion: 'status',
  };
}

export function balanceRequest(by: Initiator, urls: CallbackUrls): object {
  return {
    Initiator: by.name,
    SecurityCredential: by.securityCredential,
    CommandID: 'AccountBalance',
    PartyA: by.shortCode,
    IdentifierType: '4',
    Remarks: 'balance',
    QueueTimeOutURL: urls.timeout,
    ResultURL: urls.result,
  };
}
