import { generateKeyPairSync, privateDecrypt, constants } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptCredential } from '../../../../../src/connectors/operators/daraja-b2b/access.ts';
import {
  balanceRequest,
  paymentRequest,
  statusRequest,
} from '../../../../../src/connectors/operators/daraja-b2b/requests.ts';
import type { Bill } from '../../../../../src/connectors/operators/daraja-b2b/requests.ts';

// Source of the documented bodies: developer.safaricom.co.ke, December 2025, as mirrored in
// JacksCodeVault/mpesa-daraja-mcp: daraja_docs_v3/docs. Compared field by field.

const BY = { name: 'apiop01', securityCredential: 'BASE64==', shortCode: '600100' };
const URLS = { result: 'https://m.example/d/r/K1', timeout: 'https://m.example/d/q/K1' };

const BILL: Bill = {
  amount: '190',
  receiver: { command: 'BusinessPayBill', shortCode: '600200', identifierType: '4' },
  account: '12345678901',
  requester: '254700000001',
  reference: 'r1',
};

test('a payment is sent as Business Pay Bill: POST /mpesa/b2b/v1/paymentrequest', () => {
  expect(paymentRequest(BY, BILL, URLS)).toEqual({
    Initiator: 'apiop01',
    SecurityCredential: 'BASE64==',
    CommandID: 'BusinessPayBill',
    SenderIdentifierType: '4',
    RecieverIdentifierType: '4',
    Amount: '190',
    PartyA: '600100',
    PartyB: '600200',
    AccountReference: '12345678901',
    Requester: '254700000001',
    Remarks: 'r1',
    QueueTimeOutURL: 'https://m.example/d/q/K1',
    ResultURL: 'https://m.example/d/r/K1',
    Occassion: 'r1',
  });
  expect(paymentRequest(BY, { ...BILL, requester: null }, URLS)).not.toHaveProperty('Requester');
});

// BusinessBuyGoods.md of the same mirror: the endpoint, the names and the identifier type are those of a pay bill.
test.each(['4', '2'] as const)(
  'a payment to a till is sent as Business Buy Goods with the identifier type %s',
  (identifierType) => {
    const receiver = { command: 'BusinessBuyGoods', shortCode: '5001234', identifierType } as const;
    expect(paymentRequest(BY, { ...BILL, receiver }, URLS)).toEqual({
      ...paymentRequest(BY, BILL, URLS),
      CommandID: 'BusinessBuyGoods',
      RecieverIdentifierType: identifierType,
      PartyB: '5001234',
    });
  },
);

test('Transaction Status: POST /mpesa/transactionstatus/v1/query', () => {
  expect(statusRequest(BY, { OriginalConversationID: 'AG_1' }, URLS)).toEqual({
    Initiator: 'apiop01',
    SecurityCredential: 'BASE64==',
    CommandID: 'TransactionStatusQuery',
    OriginalConversationID: 'AG_1',
    PartyA: '600100',
    IdentifierType: '4',
    ResultURL: 'https://m.example/d/r/K1',
    QueueTimeOutURL: 'https://m.example/d/q/K1',
    Remarks: 'status',
    Occasion: 'status',
  });
});

test('the balance is queried as Account Balance: POST /mpesa/accountbalance/v1/query', () => {
  expect(balanceRequest(BY, URLS)).toEqual({
    Initiator: 'apiop01',
    SecurityCredential: 'BASE64==',
    CommandID: 'AccountBalance',
    PartyA: '600100',
    IdentifierType: '4',
    Remarks: 'balance',
    QueueTimeOutURL: 'https://m.example/d/q/K1',
    ResultURL: 'https://m.example/d/r/K1',
  });
});

test('SecurityCredential: RSA PKCS#1 v1.5 under the certificate, 344 characters of base64', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credential = encryptCredential(publicKey, 'Pa55#word');
  expect(credential).toHaveLength(344);
  const padding = constants.RSA_PKCS1_PADDING;
  const opened = privateDecrypt({ key: privateKey, padding }, Buffer.from(credential, 'base64'));
  expect(opened.toString()).toBe('Pa55#word');
  expect(encryptCredential(publicKey, 'Pa55#word')).not.toBe(credential);
});
