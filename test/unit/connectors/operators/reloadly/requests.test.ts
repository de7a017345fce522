import { expect, test } from 'vitest';
import {
  networkPath,
  quoteRequest,
  reportPath,
  tokenRequest,
  topUpRequest,
} from '../../../../../src/connectors/operators/reloadly/requests.ts';

// Source of the documented requests: Reloadly/reloadly-api-documentation @c774a73 (OpenAPI), and
// Reloadly/reloadly-sdk-java. Compared field by field.

test('one token for each audience is requested with POST /oauth/token', () => {
  const audience = 'https://topups.reloadly.com';
  expect(tokenRequest({ clientId: 'id', clientSecret: 'secret', audience })).toEqual({
    client_id: 'id',
    client_secret: 'secret',
    grant_type: 'client_credentials',
    audience: 'https://topups.reloadly.com',
  });
});

test('top-up: POST /topups', () => {
  const topUp = {
    networkId: '341',
    reference: 'p-0001-1',
    phone: '254700000001',
    amountCents: 100_50n,
  };
  expect(topUpRequest(topUp, { country: 'KE', amountsIn: 'recipient' })).toEqual({
    operatorId: 341,
    amount: 100.5,
    useLocalAmount: true,
    customIdentifier: 'p-0001-1',
    recipientPhone: { countryCode: 'KE', number: '254700000001' },
  });
  expect(topUpRequest(topUp, { country: 'UG', amountsIn: 'wallet' })).toMatchObject({
    useLocalAmount: false,
    recipientPhone: { countryCode: 'UG' },
  });
});

test('the report, portability and exchange rate are requested as documented', () => {
  expect(reportPath('p 1&')).toBe(
    '/topups/reports/transactions?customIdentifier=p%201%26&page=1&size=20',
  );
  expect(networkPath('254700000001', 'KE')).toBe(
    '/operators/mnp-lookup/phone/254700000001/countries/KE',
  );
  expect(quoteRequest('341', 250_00n)).toEqual({ operatorId: 341, amount: 250 });
});
