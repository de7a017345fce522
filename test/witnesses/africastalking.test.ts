import connect from 'africastalking';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AfricastalkingEmulator } from '../../sandbox/providers/africastalking/emulator.ts';
import { startEmulatedProvider } from '../support/emulated-provider.ts';
import type { EmulatedProvider } from '../support/emulated-provider.ts';
import { leadHttpsTo } from './lead-https.ts';

// Africa’s Talking’s own client, `africastalking`, against our emulator. Its hosts are fixed.

let provider: EmulatedProvider;
let emulator: AfricastalkingEmulator;
let client: ReturnType<typeof connect>;
let leadBack: () => void;

beforeEach(async () => {
  emulator = new AfricastalkingEmulator({
    apiKey: 'key',
    callbackUrl: () => `${provider.callbackOrigin}/status`,
    deliverAfterMs: 1,
    wrapsFound: false,
  });
  provider = await startEmulatedProvider(emulator, emulator.listener);
  leadBack = leadHttpsTo(provider.origin);
  client = connect({ username: 'sandbox', apiKey: 'key' });
});

afterEach(async () => {
  leadBack();
  await provider.close();
});

const airtime = (phoneNumber: string, amount: number) => ({
  phoneNumber,
  currencyCode: 'KES',
  amount,
});

const send = async (phoneNumber: string, idempotencyKey?: string) =>
  await client.AIRTIME.send({
    recipients: [airtime(phoneNumber, 100)],
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });

interface Response {
  readonly requestId: string;
  readonly status: string;
}

test('Africa’s Talking’s client tops up, and finds the transaction', async () => {
  const sent = await send('+254712345678');
  expect(sent).toMatchObject({
    errorMessage: 'None',
    numSent: 1,
    totalAmount: 'KES 100.0000',
    responses: [{ phoneNumber: '+254712345678', amount: 'KES 100.0000', status: 'Sent' }],
  });
  await emulator.later.quiet();
  const [response] = sent['responses'] as readonly Response[];
  expect(await client.AIRTIME.findTransactionStatus(response?.requestId ?? '')).toMatchObject({
    requestId: response?.requestId,
    status: 'Success',
  });
  expect(emulator.truth()).toMatchObject([{ account: '254712345678', amount: '100.00' }]);
});

test('Africa’s Talking’s client tops up several numbers with one request', async () => {
  const sent = await client.AIRTIME.send({
    recipients: [
      airtime('+254712345678', 100),
      airtime('+254712345679', 50.5),
      airtime('+254712349902', 10),
    ],
    maxNumRetry: 3,
  });
  expect(sent).toMatchObject({ numSent: 2, totalAmount: 'KES 150.5000' });
  expect((sent['responses'] as readonly Response[]).map(({ status }) => status)).toEqual([
    'Sent',
    'Sent',
    'Failed',
  ]);
  await emulator.later.quiet();
  expect(emulator.truth().map(({ account, amount }) => [account, amount])).toEqual([
    ['254712345678', '100.00'],
    ['254712345679', '50.50'],
  ]);
});

test('Africa’s Talking’s client sends a key, and a second request with it tops up nothing', async () => {
  await send('+254712345678', 'p-1');
  expect(await send('+254712345678', 'p-1')).toMatchObject({
    numSent: 0,
    errorMessage: expect.stringContaining('duplicate') as string,
    responses: [],
  });
  await emulator.later.quiet();
  expect(emulator.truth()).toHaveLength(1);
});

test('Africa’s Talking’s client reads a refused recipient under HTTP 201', async () => {
  expect(await send('+254712349902')).toMatchObject({
    numSent: 0,
    responses: [{ status: 'Failed', requestId: 'None' }],
  });
});

test('Africa’s Talking’s client reads the balance', async () => {
  expect(await client.APPLICATION.fetchApplicationData()).toEqual({
    UserData: { balance: 'KES 1000000.0000' },
  });
});

test('Africa’s Talking’s client is refused with a wrong key', async () => {
  const stranger = connect({ username: 'sandbox', apiKey: 'other' });
  await expect(stranger.APPLICATION.fetchApplicationData()).rejects.toMatchObject({
    response: { status: 401, data: 'The supplied authentication is invalid' },
  });
});
