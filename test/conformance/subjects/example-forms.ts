import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ExampleFormsEmulator } from '../../../sandbox/providers/example-forms/emulator.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

interface Settings {
  readonly callback: { readonly signature: object };
}

export const EXAMPLE_FORMS_SETTINGS = JSON.parse(
  readFileSync(
    new URL('../../../sandbox/providers/example-forms/config.json', import.meta.url),
    'utf8',
  ),
) as Settings;

/** By configuration: forms and tokens, RSA signatures in both directions, no status query. */
export const exampleForms: Subject = {
  name: 'http, forms with OAuth and RSA signatures',
  billerCode: 'nairobi_water',
  isProofInBody: true,
  start: async () => {
    let callbackUrl = '';
    const ours = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const emulator = new ExampleFormsEmulator({
      clientId: 'client',
      clientSecret: 'secret',
      merchantKey: ours.publicKey,
      callbackUrl: () => callbackUrl,
      decideAfterMs: 1,
    });
    const { callback } = EXAMPLE_FORMS_SETTINGS;
    const signature = { ...callback.signature, public_key: emulator.publicKey };
    const settings = { ...EXAMPLE_FORMS_SETTINGS, callback: { ...callback, signature } };
    const secret = {
      client_id: 'client',
      client_secret: 'secret',
      private_key: ours.privateKey,
    };
    return {
      ...(await serve(emulator, emulator.listener)),
      connect: (baseUrl, options) => {
        ({ callbackUrl } = options);
        return connectTo(http, baseUrl, { ...options, settings, secret });
      },
      isInstruction: (_method, path) => path === '/api/sale',
      accountFor: accountsBy(SUFFIXES),
      expireTokens: () => emulator.expireTokens(),
      limitRate: (requests) => emulator.limitRate(requests),
      // A skewed clock makes the callback look old, so it is refused. No query is possible: people decide.
      skewClock: null,
    };
  },
};
