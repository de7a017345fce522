export interface Transaction {
  readonly transactionId: string;
  readonly stream: string;
  readonly account: string;
  readonly phoneNumber: string;
  readonly callbackUrl: string | null;
  readonly amount: number;
  /** Amount that it is executed for. */
  readonly soldFor: number;
  isCommitted: boolean;
  isRefunded: boolean;
  /** When it was executed: more than once, if a second commit executes. */
  readonly executedAtMs: number[];
}

const NAMES = 'TEST CUSTOMER';

export function prepareAnswer({ transactionId, stream, account, amount }: Transaction): object {
  switch (stream) {
    case 'kplc':
      return {
        Customer: { ReferenceNumber: account, Names: NAMES, Address: 'NAIROBI' },
        TransactionID: transactionId,
        Amount: amount,
        MeterNumber: account,
      };
    case 'nairobiwater':
      return { TransactionID: transactionId, Names: NAMES, Amount: amount, AccountNumber: account };
    default:
      return {
        TransactionID: transactionId,
        PhoneNumber: account,
        OperatorName: 'Safaricom',
        Amount: amount,
      };
  }
}

export function commitAnswer({ transactionId, stream, account, soldFor }: Transaction): object {
  const ids = { TransactionID: transactionId, ReceiptNumber: `JPR${transactionId.slice(-7)}` };
  switch (stream) {
    case 'kplc':
      return {
        Customer: { ReferenceNumber: account, Names: NAMES, Address: 'NAIROBI' },
        ...ids,
        Amount: soldFor,
        MeterNumber: account,
        Charges: [{ Name: 'VAT', Amount: 68.97, Tax: 0, Category: 'TAX' }],
        Tokens: [
          {
            Token: '00001111222233334444',
            Units: 19.8,
            UnitType: 'kWh',
            Amount: 431.03,
            Tax: 68.97,
            // Spelled so.
            Tarrif: 'DOMESTIC',
            ReceiptNumber: 'KP0000001',
          },
        ],
      };
    case 'nairobiwater':
      return { ...ids, Amount: soldFor, AccountNumber: account, Names: NAMES };
    default:
      return { ...ids, PhoneNumber: account, Amount: soldFor };
  }
}

/** As the documentation types it: the token as a number, and one object where a list is expected. */
export function tersely(transaction: Transaction): string {
  return JSON.stringify(commitAnswer(transaction))
    .replaceAll(/\[(\{[^[\]]*\})\]/g, '$1')
    .replace('"00001111222233334444"', '1111222233334444');
}
