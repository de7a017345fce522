import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DISBURSEMENTS } from '../src/payments/billers/biller.ts';
import { MSISDN } from '../src/payments/billers/account-format.ts';
import type { BillerRecord } from '../src/payments/billers/store.ts';
import { SHORT_CODES } from './providers/providers.ts';
import type { ProviderCode, ProviderSecrets } from './providers/secrets.ts';

// How the emulated providers are registered: their real protocols, and billers that are paid through them.

/** A provider that executes payments; its operator code is the emulator's. */
export type PayingProvider = Exclude<ProviderCode, 'paybill' | 'till'>;

const PHONE = '254700000001';
/** Short, so that an engineer sees the end of each suffix soon. Cases are opened as early as allowed. */
const TIMES = { pay_timeout_ms: 3_000, status_timeout_ms: 2_000, connect_timeout_ms: 1_000 };
const CASE_AFTER_MS = 60_000;

interface ProviderOperator {
  readonly name: string;
  readonly connector: string;
  readonly settings: (
    origin: string,
    secrets: ProviderSecrets,
  ) => Readonly<Record<string, unknown>>;
  /** What follows the emulator's address in that of the API. */
  readonly path?: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** The settings file that is shipped with an emulator, for the connector `http`. */
function shipped(folder: string): Settings {
  const file = new URL(`providers/${folder}/config.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Settings;
}

export const PROVIDER_OPERATORS: Readonly<Record<PayingProvider, ProviderOperator>> = {
  daraja: {
    name: 'Safaricom Daraja, emulated',
    connector: 'daraja-b2b',
    settings: () => ({
      short_code: SHORT_CODES.daraja,
      initiator: 'apiop01',
      billers: { water_bills: { pay_bill: '600300' }, shop_tills: { till: '5600300' } },
    }),
  },
  jambopay: {
    name: 'JamboPay, emulated',
    connector: 'jambopay',
    settings: () => ({
      billers: { power_tokens: { stream: 'kplc' } },
      phone_number: PHONE,
      code_field: 'ErrorCode',
    }),
  },
  dtone: {
    name: 'DT One, emulated',
    connector: 'dt-one',
    settings: () => ({ billers: { power_tokens: { product_id: 1001, statement_inquiry: true } } }),
  },
  reloadly: {
    name: 'Reloadly, emulated',
    connector: 'reloadly',
    settings: (origin) => ({
      auth_url: `${origin}/providers/reloadly`,
      audience: 'https://topups.reloadly.com',
      billers: { airtime_top_up: { network: 'by_number' } },
      rate_of: 341,
      acceptance_window_ms: 1_000,
      settles_after_ms: 0,
    }),
  },
  vtpass: {
    name: 'VTpass, emulated',
    connector: 'http',
    settings: () => ({
      ...shipped('vtpass'),
      acceptance_window_ms: 1_000,
      billers: { power_tokens: { id: 'example-electric', variation: 'prepaid' } },
    }),
  },
  africastalking: {
    name: 'Africa’s Talking, emulated',
    connector: 'africastalking',
    settings: () => ({ username: 'sandbox', billers: ['airtime_top_up'] }),
  },
  tingg: {
    name: 'Tingg, emulated',
    connector: 'tingg',
    settings: () => ({
      billers: {
        tv_bills: { service_code: 'TV', bills: true },
        water_bills: { service_code: 'WATER', bills: true },
      },
      phone_number: PHONE,
      acceptance_window_ms: 1_000,
    }),
  },
  darajab2c: {
    name: 'Safaricom Daraja B2C, emulated',
    connector: 'daraja-b2c',
    settings: () => ({ short_code: SHORT_CODES.darajab2c, initiator: 'apiop01' }),
  },
  airtelmoney: {
    name: 'Airtel Money, emulated',
    connector: 'http',
    settings: (_, { airtel_private_key: privateKey }) => {
      const settings = shipped('airtel') as { readonly encrypted: { readonly pin: object } };
      const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
      const pin = { ...settings.encrypted.pin, public_key: publicKey };
      return { ...settings, encrypted: { pin }, billers: { wallet_top_up: {} } };
    },
  },
  flutterwave: {
    name: 'Flutterwave, emulated',
    connector: 'http',
    path: '/v3',
    settings: () => ({
      ...shipped('flutterwave'),
      billers: {
        tv_bills: { biller: 'BIL119', item: 'CB141' },
        power_tokens: { biller: 'BIL112', item: 'UB157', token: true },
      },
    }),
  },
  kopokopo: {
    name: 'Kopo Kopo, emulated',
    connector: 'http',
    settings: () => ({
      ...shipped('kopokopo'),
      billers: { water_bills: { paybill: '600300' } },
    }),
  },
  pesalink: {
    name: 'PesaLink through Co-operative Bank, emulated',
    connector: 'http',
    settings: () => ({
      ...shipped('coop-pesalink'),
      billers: { bank_accounts: { bank_code: '11' } },
    }),
  },
};

/** The arguments of `setOperator` and `putOperator`. */
export function operatorChangeOf(code: PayingProvider, origin: string, secrets: ProviderSecrets) {
  const { name, connector, settings, path = '' } = PROVIDER_OPERATORS[code];
  return {
    name,
    connector,
    baseUrl: `${origin}/providers/${code}${path}`,
    settings: { ...settings(origin, secrets), ...TIMES, case_after_ms: CASE_AFTER_MS },
  };
}

/** The operator's secret as its protocol wants it. */
export function operatorSecretOf(code: ProviderCode, secrets: ProviderSecrets): string {
  return JSON.stringify(secrets[code]);
}

/** A biller that providers pay. The first is its operator; the others are used when the first cannot pay. */
export interface ProviderBiller extends Pick<
  BillerRecord,
  'billerCode' | 'name' | 'category' | 'accountFormat' | 'accountLabel' | 'minimumCents'
> {
  readonly providers: readonly [PayingProvider, ...PayingProvider[]];
}

export const PROVIDER_BILLERS: readonly ProviderBiller[] = [
  {
    billerCode: 'water_bills',
    name: 'Water bills, by providers',
    category: 'water',
    accountFormat: '^[0-9]{5,13}$',
    accountLabel: 'Account number',
    minimumCents: 5_000n,
    providers: ['daraja', 'tingg', 'kopokopo'],
  },
  {
    billerCode: 'power_tokens',
    name: 'Power tokens, by providers',
    category: 'electricity',
    accountFormat: '^[0-9]{5,13}$',
    accountLabel: 'Meter number',
    minimumCents: 5_000n,
    providers: ['jambopay', 'dtone', 'vtpass', 'flutterwave'],
  },
  {
    billerCode: 'airtime_top_up',
    name: 'Airtime, by providers',
    category: 'airtime',
    accountFormat: MSISDN,
    accountLabel: 'Phone number',
    minimumCents: 500n,
    providers: ['reloadly', 'africastalking'],
  },
  {
    billerCode: 'tv_bills',
    name: 'Television bills, by providers',
    category: 'tv',
    accountFormat: '^[0-9]{5,13}$',
    accountLabel: 'Smart card number',
    minimumCents: 5_000n,
    providers: ['tingg', 'flutterwave'],
  },
  {
    billerCode: 'shop_tills',
    name: 'Shops with tills, by providers',
    category: 'shops',
    accountFormat: '^[0-9]{5,13}$',
    accountLabel: 'Reference of the purchase',
    minimumCents: 1_000n,
    providers: ['daraja'],
  },
  {
    billerCode: 'bank_accounts',
    name: 'Bank accounts, by PesaLink',
    category: 'banks',
    accountFormat: '^[0-9]{5,16}$',
    accountLabel: 'Account number',
    minimumCents: 5_000n,
    providers: ['pesalink'],
  },
  {
    billerCode: 'wallet_top_up',
    name: 'Wallets, by Airtel Money',
    category: 'wallets',
    accountFormat: MSISDN,
    accountLabel: 'Phone number',
    minimumCents: 1_000n,
    providers: ['airtelmoney'],
  },
  {
    billerCode: 'phone_payouts',
    name: 'Payouts and refunds to phones',
    category: DISBURSEMENTS,
    accountFormat: MSISDN,
    accountLabel: 'Phone number',
    minimumCents: 1_000n,
    providers: ['darajab2c'],
  },
];
