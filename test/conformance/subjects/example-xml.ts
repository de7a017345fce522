import { readFileSync } from 'node:fs';
import { ExampleXmlEmulator } from '../../../sandbox/providers/example-xml/emulator.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

export const EXAMPLE_XML_SETTINGS = JSON.parse(
  readFileSync(
    new URL('../../../sandbox/providers/example-xml/config.json', import.meta.url),
    'utf8',
  ),
) as Readonly<Record<string, unknown>>;

const SECRET = { api_id: 'id', request_key: 'request-key', callback_key: 'callback-key' };

/** XML, with signed requests and signed callbacks, by configuration. */
export const exampleXml: Subject = {
  name: 'http, XML with HMAC signatures both ways',
  billerCode: 'nairobi_water',
  start: async () => {
    const emulator = new ExampleXmlEmulator({
      apiId: 'id',
      requestKey: 'request-key',
      callbackKey: 'callback-key',
      decideAfterMs: 1,
    });
    return {
      ...(await serve(emulator, emulator.listener)),
      connect: (baseUrl, options) =>
        connectTo(http, baseUrl, { ...options, settings: EXAMPLE_XML_SETTINGS, secret: SECRET }),
      isInstruction: (_method, path) => path === '/v1/payment',
      accountFor: accountsBy(SUFFIXES),
      accountForLateDetails: () => accountsBy({ ...SUFFIXES, paid: '9925' })('paid') ?? '',
      expireTokens: null,
      limitRate: (requests) => emulator.limitRate(requests),
      skewClock: (byMs) => emulator.skewClock(byMs),
    };
  },
};
