import { generateKeyPairSync, privateDecrypt, constants } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptCredential } from '../../../../../src/connectors/operators/daraja-b2b/protocol.ts';
import {
  balanceRequest,
  paymentRequest,
  statusRequest,
} from '../../../../../src/connectors/operators/daraja-b2b/requests.ts';

// Source of the documented bodies: developer.safaricom.co.ke, December 2025, as mirrored in
// JacksCodeVault/mpesa-daraja-mcp: daraja_docs_v3/docs. Compared field by field.

const BY = { name: 'apiop01', securityCredential: 'BASE64==', shortCode: '600100' };
const URLS = { result: 'https://m.example/d/r/K1', timeout: 'https://m.example/d/q/K1' };

test('a payment is sent as Business Pay Bill: POST /mpesa/b2b/v1/paymentrequest', () => {
  const bill = {
    amount: '190',
    payBill: '600200',
    account: '12345678901',
    requester: '254700000001',
    reference: 'r1',
  };
  expect(paymentRequest(BY, bill, URLS)).toEqual({
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
  expect(paymentRequest(BY, { ...bill, requester: null }, URLS)).not.toHaveProperty('Requester');
});

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
