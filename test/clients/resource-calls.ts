import type { Given } from './driver.ts';

/** What every path with a parameter is called with: it must arrive as one part of the path. */
const NAMED = 'a b/c';
export const IN_PATH = 'a%20b%2Fc';

const PERIOD = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-21' };
const PAYMENTS = {
  ...PERIOD,
  status: 'SUCCESS',
  biller: 'kplc_prepaid',
  account: '37200009901',
  reference: '00000081M7Y4NP8KEYWR8EDAAS5ZSBQV',
  merchantReference: 'order 1+1&2',
};
const ROTATION = { overlapSeconds: 86_400, idempotencyKey: '8d7f6c1e-0b4a-4a57-9f0e-3d5b1c2a7e90' };

type Calls = readonly (readonly [call: string, given?: Given])[];

/** All of a list, and one page of it. */
function listed(call: string, filter: Given): Calls {
  return [
    [call, filter],
    [call, { ...filter, page: { cursor: 'c-1', limit: 50 } }],
  ];
}

/** How each operation below `/v1` is called, with everything that it accepts. */
export const RESOURCE_CALLS: Readonly<Record<string, Calls>> = {
  listPayments: listed('listPayments', PAYMENTS),
  getPayment: [['getPayment', { reference: NAMED }]],
  exportPayments: [['exportPayments', PAYMENTS]],
  getBalance: [['getBalance'], ['getBalance', { at: '2026-11-20' }]],
  getStatement: listed('getStatement', PERIOD),
  exportStatement: [['exportStatement', PERIOD]],
  listInvoices: listed('listInvoices', {}),
  getInvoice: [['getInvoice', { invoice: NAMED }]],
  exportInvoicePdf: [['exportInvoicePdf', { invoice: NAMED }]],
  exportInvoiceCsv: [['exportInvoiceCsv', { invoice: NAMED }]],
  listEvents: listed('listEvents', {
    ...{ type: 'transaction.succeeded', state: 'given_up' },
    ...{ since: '2026-11-01T00:00:00.000Z', wait: 5 },
  }),
  getEvent: [['getEvent', { eventId: NAMED }]],
  replayEvent: [['replayEvent', { eventId: NAMED }]],
  replayEvents: [['replayEvents', { ...PERIOD, state: 'given_up' }]],
  getWebhook: [['getWebhook']],
  setWebhook: [
    ['setWebhook', { url: 'https://shop.example/malipo/events' }],
    ['setWebhook', { url: 'https://shop.example/', types: ['transaction.failed'] }],
  ],
  removeWebhook: [['removeWebhook']],
  enableWebhook: [['enableWebhook']],
  disableWebhook: [['disableWebhook']],
  testWebhook: [['testWebhook']],
  rotateWebhookSecret: [['rotateWebhookSecret', ROTATION]],
  retireWebhookSecret: [['retireWebhookSecret', { keyId: NAMED }]],
  listKeys: [['listKeys']],
  rotateKey: [['rotateKey', ROTATION]],
  retireKey: [['retireKey', { keyId: NAMED }]],
  listRequests: listed('listRequests', { only: 'refused' }),
  describeBillers: [['describeBillers']],
  describeBiller: [['describeBiller', { billerCode: NAMED }]],
  listEnquiries: listed('listEnquiries', {
    ...PERIOD,
    outcome: 'answered',
    requestReference: 'LOAN2031',
  }),
};
