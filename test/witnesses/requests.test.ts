import { afterEach, describe, expect, test } from 'vitest';
import { DarajaEmulator } from '../../sandbox/providers/daraja/emulator.ts';
import { createGateway } from '../../sandbox/providers/daraja/listener.ts';
import { MoneyInEmulator } from '../../sandbox/providers/daraja/money-in.ts';
import { VtpassEmulator } from '../../sandbox/providers/vtpass/emulator.ts';
import { MtnMomoEmulator } from '../conformance/subjects/mtn-momo.ts';
import { startEmulatedProvider } from '../support/emulated-provider.ts';
import type { Answered, EmulatedProvider } from '../support/emulated-provider.ts';
import { DARAJA, MOMO_TRANSFERS, VTPASS } from './requests.ts';
import type { SentRequest } from './requests.ts';

// Requests of public clients, as they sent them, to our emulators.

let provider: EmulatedProvider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

type Fill = Readonly<Record<string, string>>;

const filled = <Value>(value: Value, fill: Fill): Value =>
  JSON.parse(
    Object.entries(fill).reduce(
      (text, [name, by]) => text.replaceAll(`{${name}}`, by),
      JSON.stringify(value),
    ),
  ) as Value;

async function send({ line, headers, body }: SentRequest, fill: Fill = {}): Promise<Answered> {
  if (provider === undefined) throw new Error('no provider');
  const [method = '', path = ''] = line.split(' ');
  Object.assign(provider.headers, filled(headers, fill));
  return await provider.call(method, path, body && filled(body, fill));
}

/** The only request of a client that does so. */
function requestOf(requests: readonly SentRequest[], does: string): SentRequest {
  const found = requests.filter((one) => one.does === does);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} that ${does}`);
  return only;
}

describe('Daraja', () => {
  const of = (does: string) => requestOf(DARAJA, does);
  let payments: DarajaEmulator;
  let moneyIn: MoneyInEmulator;
  let fill: Fill;

  async function start(): Promise<void> {
    payments = new DarajaEmulator({
      resultAfterMs: 1,
      unknownId: 'code_25',
      originalId: 'originator',
      acceptsCredential: (credential) => credential === 'credential',
    });
    moneyIn = new MoneyInEmulator({ shortCode: '600200', registersOnce: false });
    const app = { consumerKey: 'key', consumerSecret: 'secret' };
    const { listener } = createGateway(payments, app, moneyIn);
    const quiet = async () => {
      await payments.later.quiet();
      await moneyIn.later.quiet();
    };
    provider = await startEmulatedProvider({ later: { quiet } }, listener);
    const { body } = await send(of('asks for a token'));
    const { access_token: token = '', ...rest } = body as Readonly<Record<string, string>>;
    expect(rest).toEqual({ expires_in: '3599' });
    fill = { token, callbacks: provider.callbackOrigin };
  }

  /** The bodies that came to this path. */
  const told = async (path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    ((await provider?.callbacks()) ?? [])
      .filter(({ line }) => line === `POST ${path}`)
      .map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);

  const ACCEPTED = { status: 200, body: { ResponseCode: '0' } };

  test('pays what two public clients ask for, and answers their questions', async () => {
    await start();
    const pays = [
      'pays a pay bill, with numbers for texts and without Requester and Occassion',
      'pays a phone by version 1, without Occasion',
      'pays a phone by version 1',
    ];
    for (const does of pays) expect(await send(of(does), fill)).toMatchObject(ACCEPTED);
    const results = await told('/result');
    expect(results.map(({ Result }) => (Result as { ResultCode: number }).ResultCode)).toEqual(
      pays.map(() => expect.toSatisfy((code) => Number(code) === 0) as unknown),
    );
    expect(payments.truth().map(({ account, amount }) => [account, amount])).toEqual([
      ['12345678901', '190.00'],
      ['254700000001', '100.00'],
      ['254700000001', '100.00'],
    ]);
    const [, receipt = ''] = /"TransactionID":"(\w+)"/.exec(JSON.stringify(results[0])) ?? [];
    const asked = await send(of('asks about a payment by its receipt'), { ...fill, receipt });
    expect(asked).toMatchObject(ACCEPTED);
    expect(await send(of('asks for the balance'), fill)).toMatchObject(ACCEPTED);
    const [found, balance] = (await told('/result')).slice(3).map((one) => JSON.stringify(one));
    expect(found).toContain('{"Key":"TransactionStatus","Value":"Completed"}');
    expect(found).toContain(`{"Key":"ReceiptNo","Value":"${receipt}"}`);
    expect(balance).toContain('{"Key":"AccountBalance"');
  });

  test('confirms a payment to a client that registered by version 1, with a digest of the number', async () => {
    await start();
    expect(await send(of('registers URLs by version 1'), fill)).toMatchObject(ACCEPTED);
    expect(await send(of('simulates a customer by version 1'), fill)).toMatchObject(ACCEPTED);
    expect(await told('/confirmation')).toMatchObject([
      {
        TransactionType: 'Pay Bill',
        TransAmount: '500.00',
        BillRefNumber: 'V001',
        MSISDN: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
  });

  test('prompts a customer for a client, and refuses a prompt that lacks a field', async () => {
    await start();
    const sent = await send(of('prompts a customer'), fill);
    expect(sent).toMatchObject(ACCEPTED);
    const { CheckoutRequestID: checkout = '' } = sent.body as Readonly<Record<string, string>>;
    expect(await told('/prompt')).toMatchObject([
      { Body: { stkCallback: { CheckoutRequestID: checkout, ResultCode: 0 } } },
    ]);
    expect(await send(of('asks about a prompt'), { ...fill, checkout })).toMatchObject({
      status: 200,
      body: { ResponseCode: '0', ResultCode: '0', CheckoutRequestID: checkout },
    });
    expect(await send(of('prompts a customer, without PhoneNumber'), fill)).toMatchObject({
      status: 400,
      body: { errorCode: '400.002.02', errorMessage: 'Bad Request - Invalid PhoneNumber' },
    });
    expect(moneyIn.truth()).toHaveLength(1);
  });
});

describe('VTpass', () => {
  const of = (does: string) => requestOf(VTPASS, does);

  test('looks up a meter and sells to a public client', async () => {
    const emulator = new VtpassEmulator({ apiKey: 'a', webhookUrl: () => '', deliverAfterMs: 1 });
    provider = await startEmulatedProvider(emulator, emulator.listener);
    const inLagos = new Date(Date.now() + 3_600_000).toISOString();
    const fill = { now: inLagos.replaceAll(/\D/g, '').slice(0, 12) };
    expect((await send(of('looks up a meter'))).body).toMatchObject({
      code: '000',
      content: { Customer_Name: expect.any(String) as string },
    });
    const power = of('buys electricity, with the amount as a number');
    const airtime = of('buys airtime, where the phone is the account');
    expect((await send(power, fill)).body).toMatchObject({
      code: '000',
      content: { transactions: { status: 'delivered', unique_element: '1111111111111' } },
      requestId: `${fill.now}hnxibnt7`,
    });
    expect((await send(airtime, fill)).body).toMatchObject({
      content: { transactions: { status: 'delivered', unique_element: '254700000001' } },
    });
    expect((await send(airtime, fill)).body).toMatchObject({ code: '014' });
    expect(emulator.truth().map(({ account, amount }) => [account, amount])).toEqual([
      ['1111111111111', '500.00'],
      ['254700000001', '100.00'],
    ]);
  });
});

describe('MTN MoMo', () => {
  const of = (does: string) => requestOf(MOMO_TRANSFERS, does);

  test('pays for a public client, which names its subscription in every request', async () => {
    const emulator = new MtnMomoEmulator();
    provider = await startEmulatedProvider(emulator, emulator.listener);
    const { body } = await send(of('asks for a token'));
    const { access_token: token } = body as { readonly access_token: string };
    expect(await send(of('pays'), { token })).toMatchObject({ status: 202, body: '' });
    await emulator.later.quiet();
    expect((await send(of('asks about a payment'), { token })).body).toMatchObject({
      externalId: 'p-1',
      status: 'SUCCESSFUL',
    });
    const stranger = { ...of('pays').headers, 'ocp-apim-subscription-key': 'other' };
    expect(await send({ ...of('pays'), headers: stranger }, { token })).toMatchObject({
      status: 401,
    });
  });
});
