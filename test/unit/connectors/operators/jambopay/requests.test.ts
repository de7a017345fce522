import { expect, test } from 'vitest';
import {
  commitRequest,
  prepareRequest,
  tokenRequest,
} from '../../../../../src/connectors/operators/jambopay/requests.ts';

// Source of the documented forms: apidocs.jambopay.co.ke/biller-api, pages security,
// kplcBillPresentment, nwBillPresentment, airtimeBillPresentment, kplcTransactionCommit. Compared
// field by field.

const BILL = {
  account: '01234567890',
  phoneNumber: '254700000001',
  amountCents: 500_00n,
  operatorCode: null,
  callbackUrl: 'https://m.example/callbacks/jambo/r/K1',
};

test('the token is requested with POST /token', () => {
  expect(tokenRequest({ grantType: 'agency', username: 'u', password: 'p' })).toEqual({
    grant_type: 'agency',
    username: 'u',
    password: 'p',
  });
});

test('kplcBillPresentment: POST /api/payments/POST', () => {
  expect(prepareRequest({ ...BILL, stream: 'kplc' })).toEqual({
    Stream: 'kplc',
    PhoneNumber: '254700000001',
    Amount: '500',
    MeterNumber: '01234567890',
    CallbackUrl: 'https://m.example/callbacks/jambo/r/K1',
  });
});

test('nwBillPresentment: POST /api/payments/POST', () => {
  expect(prepareRequest({ ...BILL, stream: 'nairobiwater', amountCents: 500_50n })).toEqual({
    Stream: 'nairobiwater',
    AccountNumber: '01234567890',
    PhoneNumber: '254700000001',
    Amount: '500.50',
  });
});

test('airtimeBillPresentment: POST /api/payments/POST', () => {
  const airtime = {
    ...BILL,
    stream: 'credit',
    operatorCode: '4',
    account: '254711000000',
  } as const;
  expect(prepareRequest(airtime)).toEqual({
    Stream: 'credit',
    PhoneNumber: '254711000000',
    Amount: '500',
    OperatorCode: '4',
  });
});

test('kplcTransactionCommit: PUT /api/payments/PUT', () => {
  const commit = { stream: 'kplc', transactionId: 'JP1', paidBy: null } as const;
  expect(commitRequest(commit)).toEqual({ Stream: 'kplc', TransactionID: 'JP1' });
  expect(commitRequest({ ...commit, paidBy: 'Example' })).toEqual({
    Stream: 'kplc',
    TransactionID: 'JP1',
    PaidBy: 'Example',
  });
});
