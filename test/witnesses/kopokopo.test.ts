import connect from 'k2-connect-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KopokopoEmulator } from '../../sandbox/providers/kopokopo/emulator.ts';
import { createGateway } from '../../sandbox/providers/kopokopo/listener.ts';
import { startEmulatedProvider } from '../support/emulated-provider.ts';
import type { EmulatedProvider } from '../support/emulated-provider.ts';

// Kopo Kopo’s own client, `k2-connect-node` 1.3, which speaks version 1 of its API, against our emulator.

const CLIENT = { clientId: 'client', clientSecret: 'secret', apiKey: 'api-key' };

let provider: EmulatedProvider;
let emulator: KopokopoEmulator;
let client: ReturnType<typeof connect>;
let accessToken: string;

beforeEach(async () => {
  emulator = new KopokopoEmulator({ apiKey: 'api-key', endsAfterMs: 1, spacesCallbacks: false });
  provider = await startEmulatedProvider(emulator, createGateway(emulator, CLIENT).listener);
  client = connect({ ...CLIENT, baseUrl: provider.origin });
  const token = await client.TokenService.getToken();
  expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  accessToken = token.access_token;
});

afterEach(async () => {
  await provider.close();
});

const TILL = { type: 'till', tillName: 'Example Shop', tillNumber: '5001234' };

const RECIPIENTS = [
  {
    type: 'paybill',
    paybillName: 'Example Water',
    paybillNumber: '600200',
    paybillAccountNumber: '12345678901',
  },
  TILL,
  {
    type: 'mobile_wallet',
    firstName: 'Test',
    lastName: 'Customer',
    email: 'customer@example.com',
    phoneNumber: '+254700000001',
    network: 'Safaricom',
  },
  {
    type: 'bank_account',
    accountName: 'Test Customer',
    bankBranchRef: '633aa26c-7b7c-4091-ae28-96c0687cf886',
    accountNumber: '1234567890',
    settlementMethod: 'EFT',
  },
];

async function pay(
  recipient: { readonly type: string } & Readonly<Record<string, string>>,
): Promise<string> {
  const location = await client.PayService.addPayRecipient({ ...recipient, accessToken });
  return await client.PayService.sendPay({
    destinationType: recipient.type,
    destinationReference: location.slice(location.lastIndexOf('/') + 1),
    amount: '500',
    currency: 'KES',
    description: 'bill',
    category: 'bills',
    tags: 'a,b',
    callbackUrl: `${provider.callbackOrigin}/result`,
    metadata: { payment: 'p-1' },
    accessToken,
  });
}

test.each(RECIPIENTS)(
  'Kopo Kopo’s client pays to a $type, and asks about it',
  async (recipient) => {
    const location = await pay(recipient);
    expect(new URL(location).pathname).toMatch(/^\/api\/v1\/payments\/[0-9a-f-]{36}$/);
    await emulator.later.quiet();
    expect(await client.PayService.getStatus({ location, accessToken })).toMatchObject({
      data: {
        type: 'payment',
        attributes: {
          status: 'Processed',
          amount: { currency: 'KES', value: 500 },
          transfer_batches: [{ status: 'Transferred', disbursements: [{ status: 'Transferred' }] }],
          metadata: { payment: 'p-1' },
        },
      },
    });
    expect(emulator.truth()).toMatchObject([{ biller: recipient.type, amount: '500.00' }]);
  },
);

test('Kopo Kopo’s client accepts the signature of a callback, and no other', async () => {
  await pay(TILL);
  const [callback] = await provider.callbacks();
  const body: unknown = JSON.parse(callback?.body ?? '');
  const signature = String(callback?.headers['x-kopokopo-signature']);
  const handled = async (by: unknown) => {
    const statuses: number[] = [];
    const answer = { status: (code: number) => ({ json: () => void statuses.push(code) }) };
    const request = { body: by, get: () => signature };
    await client.Webhooks.webhookHandler(request, answer).catch(() => undefined);
    return statuses;
  };
  expect(await handled(body)).toEqual([200]);
  expect(await handled({ ...(body as object), more: 1 })).toEqual([401]);
});

test('Kopo Kopo’s client reads why a payment is refused', async () => {
  await expect(pay({ ...TILL, tillNumber: '5009902' })).rejects.toMatchObject({
    error_code: 400,
    error_message: expect.any(String) as string,
  });
  expect(emulator.truth()).toEqual([]);
});

test('Kopo Kopo’s client is refused with a wrong secret, and with a wrong token', async () => {
  const stranger = connect({ ...CLIENT, clientSecret: 'other', baseUrl: provider.origin });
  await expect(stranger.TokenService.getToken()).rejects.toBe('Unauthorized');
  accessToken = 'other';
  await expect(pay(TILL)).rejects.toBe('Unauthorized');
});
