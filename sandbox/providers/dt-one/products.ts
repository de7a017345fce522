/** As `GET /products` lists them. */
export const PRODUCTS = [
  {
    id: 1001,
    name: 'Example Power, any amount',
    description: 'Prepaid electricity',
    service: { id: 3, name: 'Utilities', subservice: { id: 31, name: 'Electricity' } },
    operator: { id: 501, name: 'Example Power', country: { iso_code: 'KEN', name: 'Kenya' } },
    type: 'RANGED_VALUE_PAYMENT',
    destination: { unit_type: 'CURRENCY', unit: 'KES', amount: { min: 10, max: 10_000 } },
    prices: { wholesale: { amount: { min: 10, max: 10_000 }, fee: 0, unit: 'KES' }, retail: null },
    required_credit_party_identifier_fields: [['account_number']],
  },
  {
    id: 1002,
    name: 'Example Mobile 100 KES',
    description: 'Airtime',
    service: { id: 1, name: 'Mobile', subservice: { id: 11, name: 'Airtime' } },
    operator: { id: 502, name: 'Example Mobile', country: { iso_code: 'KEN', name: 'Kenya' } },
    type: 'FIXED_VALUE_RECHARGE',
    destination: { unit_type: 'CURRENCY', unit: 'KES', amount: 100 },
    prices: { wholesale: { amount: 97.5, fee: 0, unit: 'KES' }, retail: null },
    required_credit_party_identifier_fields: [['mobile_number']],
  },
] as const;
