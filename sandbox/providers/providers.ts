import path from 'node:path';
import type { RequestListener } from 'node:http';
import { AfricastalkingEmulator } from './africastalking/emulator.ts';
import { AirtelEmulator } from './airtel/emulator.ts';
import { createGateway as createAirtel } from './airtel/listener.ts';
import { CoopPesalinkEmulator } from './coop-pesalink/emulator.ts';
import { createGateway as createCoopPesalink } from './coop-pesalink/listener.ts';
import { DarajaEmulator } from './daraja/emulator.ts';
import type { DarajaOptions } from './daraja/emulator.ts';
import { createGateway as createDaraja } from './daraja/listener.ts';
import { MoneyInEmulator } from './daraja/money-in.ts';
import { DtOneEmulator } from './dt-one/emulator.ts';
import { createGateway as createDtOne } from './dt-one/listener.ts';
import { FlutterwaveEmulator } from './flutterwave/emulator.ts';
import { sendJson } from './http.ts';
import { JambopayEmulator } from './jambopay/emulator.ts';
import { KopokopoEmulator } from './kopokopo/emulator.ts';
import { createGateway as createKopokopo } from './kopokopo/listener.ts';
import { Memory } from './memory.ts';
import { ReloadlyEmulator } from './reloadly/emulator.ts';
import { createGateway as createReloadly } from './reloadly/listener.ts';
import { providerSecrets, providersFolder } from './secrets.ts';
import type { ProviderCode, ProviderSecrets } from './secrets.ts';
import { TinggEmulator } from './tingg/emulator.ts';
import { VtpassEmulator } from './vtpass/emulator.ts';

export interface ProvidersOptions {
  readonly dataDir: string;
  /** Where providers call back that learn the URL from a form, not from the instruction. */
  readonly callbackBase: string;
  /** From an instruction to its callback (9905). */
  readonly callbackDelayMs: number;
  readonly slowMs: number;
  /** Differs from `DARAJA`. */
  readonly daraja?: Partial<DarajaChoices>;
}

/** What Daraja does where its documents leave it open, and what it loses. */
export type DarajaChoices = Required<Pick<DarajaOptions, 'originalId' | 'lostResults'>>;

const DARAJA: DarajaChoices = { originalId: 'originator', lostResults: 0 };

/** The short codes that pay businesses and phones, those that customers pay to, and the till of one of them. */
export const SHORT_CODES = {
  daraja: '600100',
  darajab2c: '600400',
  paybill: '600200',
  store: '600500',
  till: '5600500',
} as const;

const PATH = /^\/providers\/([a-z0-9]+)(?=[/?])/;

interface Surroundings {
  readonly secrets: ProviderSecrets;
  readonly memory: Memory;
  /** URL that is learned from a form, not from instructions. */
  readonly callbackUrl: () => string;
  readonly lateMs: number;
  /** Immediate events take a quarter of the time of later ones. */
  readonly soonMs: number;
  readonly slowMs: number;
  readonly choices: DarajaChoices;
}

/** An app of Daraja that pays. */
const payingDaraja =
  (code: 'daraja' | 'darajab2c') =>
  ({ secrets, memory, soonMs, slowMs, choices }: Surroundings): RequestListener => {
    const secret = secrets[code];
    const acceptsCredential = (given: string): boolean => given === secret.security_credential;
    const payments = new DarajaEmulator(
      { resultAfterMs: soonMs, slowMs, unknownId: 'silence', ...choices, acceptsCredential },
      memory,
    );
    return createDaraja(payments, appOf(secret)).listener;
  };

/** An app of Daraja whose short code customers pay to. */
const paidDaraja =
  (code: 'paybill' | 'till', numbers: { readonly shortCode: string; readonly till?: string }) =>
  ({ secrets, memory }: Surroundings): RequestListener => {
    const moneyIn = new MoneyInEmulator({ ...numbers, registersOnce: false }, memory);
    return createDaraja(undefined, appOf(secrets[code]), moneyIn).listener;
  };

const EMULATORS: Readonly<Record<ProviderCode, (of: Surroundings) => RequestListener>> = {
  daraja: payingDaraja('daraja'),
  darajab2c: payingDaraja('darajab2c'),
  paybill: paidDaraja('paybill', { shortCode: SHORT_CODES.paybill }),
  till: paidDaraja('till', { shortCode: SHORT_CODES.store, till: SHORT_CODES.till }),
  airtelmoney: ({ secrets, memory, callbackUrl, soonMs, slowMs }) => {
    const { client_id: clientId, client_secret: clientSecret, pin } = secrets.airtelmoney;
    const open = { usedId: 'duplicate_id', lateLookups: 0 } as const;
    const options = { endsAfterMs: soonMs, slowMs, callbackUrl, ...open };
    const { airtel_private_key: privateKey } = secrets;
    const application = { clientId, clientSecret, pin, privateKey };
    return createAirtel(new AirtelEmulator(options, memory), application).listener;
  },
  flutterwave: ({ secrets: { flutterwave }, memory, callbackUrl, soonMs, slowMs }) => {
    const { secret_key: secretKey, secret_hash: secretHash } = flutterwave;
    const open = { statusBy: 'tx_ref', finds: 'paid', usedReference: 'refused' } as const;
    const options = { secretKey, secretHash, webhookUrl: callbackUrl, endsAfterMs: soonMs };
    return new FlutterwaveEmulator({ ...options, slowMs, ...open }, memory).listener;
  },
  kopokopo: ({ secrets: { kopokopo }, memory, soonMs, slowMs }) => {
    const { client_id: clientId, client_secret: clientSecret, api_key: apiKey } = kopokopo;
    const options = { apiKey, endsAfterMs: soonMs, slowMs, spacesCallbacks: true };
    const requests = new KopokopoEmulator(options, memory);
    return createKopokopo(requests, { clientId, clientSecret }).listener;
  },
  pesalink: ({ secrets: { pesalink }, memory, soonMs, slowMs }) => {
    const options = { endsAfterMs: soonMs, slowMs, inProcess: 202 } as const;
    return createCoopPesalink(new CoopPesalinkEmulator(options, memory), appOf(pesalink)).listener;
  },
  jambopay: ({ secrets: { jambopay }, memory, lateMs, slowMs }) => {
    const { username, password, app_key: appKey } = jambopay;
    const open = { errors: 'code_field', secondCommit: 'executes' } as const;
    const options = { username, password, appKey, callbackAfterMs: lateMs, slowMs, ...open };
    return new JambopayEmulator(options, memory).listener;
  },
  dtone: ({ secrets: { dtone }, memory, lateMs, slowMs }) => {
    const { api_key: apiKey, api_secret: apiSecret } = dtone;
    const options = { apiKey, apiSecret, speed: lateMs / 2_000, slowMs, lateLookups: 0 };
    return createDtOne(new DtOneEmulator(options, memory)).listener;
  },
  reloadly: ({ secrets: { reloadly }, memory, callbackUrl, lateMs, slowMs }) => {
    const topUps = new ReloadlyEmulator(
      {
        webhookUrl: callbackUrl,
        webhookSecret: reloadly.webhook_secret,
        endsAfterMs: lateMs,
        slowMs,
        recordsAfterMs: 1,
        refusalUsesIdentifier: true,
      },
      memory,
    );
    const { client_id: clientId, client_secret: clientSecret } = reloadly;
    return createReloadly(topUps, { clientId, clientSecret }).listener;
  },
  vtpass: ({ secrets: { vtpass }, memory, callbackUrl, lateMs, slowMs }) => {
    const { api_key: apiKey } = vtpass;
    const options = { apiKey, webhookUrl: callbackUrl, deliverAfterMs: lateMs, slowMs };
    return new VtpassEmulator(options, memory).listener;
  },
  africastalking: ({ secrets: { africastalking }, memory, callbackUrl, soonMs, slowMs }) => {
    const { api_key: apiKey } = africastalking;
    const options = { apiKey, callbackUrl, deliverAfterMs: soonMs, slowMs, wrapsFound: true };
    return new AfricastalkingEmulator(options, memory).listener;
  },
  tingg: ({ secrets: { tingg }, memory, soonMs, slowMs }) => {
    const options = {
      ...tingg,
      endsAfterMs: soonMs,
      slowMs,
      usedId: 'executes',
      requiresOwnId: false,
    } as const;
    return new TinggEmulator(options, memory).listener;
  },
};

/** Every emulator, at `/providers/<code>/…`; each keeps a journal of its own. */
export function openProviders(options: ProvidersOptions): RequestListener {
  const { dataDir, callbackBase, callbackDelayMs: lateMs, slowMs } = options;
  const secrets = providerSecrets(dataDir);
  const listeners = new Map(
    Object.entries(EMULATORS).map(([code, open]) => {
      const memory = new Memory(path.join(providersFolder(dataDir), `${code}.jsonl`));
      const callbackUrl = (): string => `${callbackBase}/${code}`;
      const times = { lateMs, soonMs: lateMs / 4, slowMs };
      const choices = { ...DARAJA, ...options.daraja };
      return [code, open({ secrets, memory, callbackUrl, choices, ...times })];
    }),
  );
  return (request, response) => {
    const [prefix = '', code = ''] = PATH.exec(request.url ?? '') ?? [];
    const listener = listeners.get(code);
    if (listener === undefined) {
      const message = `Providers: ${[...listeners.keys()].join(', ')}`;
      return sendJson(response, 404, { message });
    }
    request.url = (request.url ?? '').slice(prefix.length);
    listener(request, response);
  };
}

function appOf(secret: { readonly consumer_key: string; readonly consumer_secret: string }) {
  return { consumerKey: secret.consumer_key, consumerSecret: secret.consumer_secret };
}
