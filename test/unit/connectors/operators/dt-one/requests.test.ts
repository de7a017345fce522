import { expect, test } from 'vitest';
import { createRequest, paths } from '../../../../../src/connectors/operators/dt-one/requests.ts';

// Source of the documented bodies: DVS API, OpenAPI 1.23, as mirrored in voxgig-sdk/dtone-sdk
// @1421077: .sdk/def/dtone-dvs-openapi.json (POST /async/transactions). Compared field by field.

const ORDER = {
  externalId: 'p-0001-1',
  productId: 1001,
  creditParty: { account_number: '12345678901' },
  amountCents: 100_00n,
  confirmsItself: true,
  callbackUrl: 'https://m.example/dt/K1',
};

test('requests a product with a range of amounts in one step', () => {
  expect(createRequest(ORDER)).toEqual({
    external_id: 'p-0001-1',
    product_id: 1001,
    calculation_mode: 'DESTINATION_AMOUNT',
    destination: { unit_type: 'CURRENCY', unit: 'KES', amount: 100 },
    auto_confirm: true,
    credit_party_identifier: { account_number: '12345678901' },
    callback_url: 'https://m.example/dt/K1',
  });
});

test('requests a product of a fixed amount, for a mobile number, in two steps', () => {
  const creditParty = { mobile_number: '+254700000001' };
  const order = { ...ORDER, creditParty, amountCents: null, confirmsItself: false };
  expect(createRequest(order)).toEqual({
    external_id: 'p-0001-1',
    product_id: 1001,
    auto_confirm: false,
    credit_party_identifier: { mobile_number: '+254700000001' },
    callback_url: 'https://m.example/dt/K1',
  });
});

test('paths', () => {
  const from = new Date('2026-01-05T00:00:00Z');
  const to = new Date('2026-01-06T00:00:00Z');
  expect(paths.create('async')).toBe('/async/transactions');
  expect(paths.confirm('sync', '7')).toBe('/sync/transactions/7/confirm');
  expect(paths.cancel('7')).toBe('/transactions/7/cancel');
  expect(paths.transaction('7')).toBe('/transactions/7');
  expect(paths.products(2)).toBe('/products?country_iso_code=KEN&page=2&per_page=100');
  expect(paths.byExternalId('A-1')).toBe('/transactions?external_id=A-1');
  expect(paths.created({ from, to, page: 2 })).toBe(
    '/transactions?from_date=2026-01-05T00:00:00.000Z&to_date=2026-01-06T00:00:00.000Z&page=2&per_page=100',
  );
});
