import { darajaB2b as protocol } from '../../../src/connectors/operators/daraja-b2b/protocol.ts';
import { DarajaEmulator } from '../../../sandbox/providers/daraja/emulator.ts';
import type { DarajaOptions } from '../../../sandbox/providers/daraja/emulator.ts';
import { createGateway } from '../../../sandbox/providers/daraja/listener.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

const SECRET = {
  consumer_key: 'key',
  consumer_secret: 'secret',
  security_credential: Buffer.alloc(256, 1).toString('base64'),
};

/** What is not established of the real provider. */
type Unestablished = Pick<DarajaOptions, 'unknownId' | 'originalId' | 'tillIdentifier'>;

/** @param receiver of the biller's payments, as its settings name it. */
export function darajaB2b(
  answers: Unestablished,
  receiver: object = { pay_bill: '600200' },
): Subject {
  return {
    name: `daraja-b2b, asked by ${answers.originalId} id, ${answers.unknownId} about an unknown one: ${Object.keys(receiver).join(', ')}`,
    billerCode: 'nairobi_water',
    start: async () => {
      const emulator = new DarajaEmulator({
        resultAfterMs: 1,
        ...answers,
        acceptsCredential: (credential) => credential === SECRET.security_credential,
      });
      const gateway = createGateway(emulator, { consumerKey: 'key', consumerSecret: 'secret' });
      const settings = {
        short_code: '600100',
        initiator: 'apiop01',
        billers: { nairobi_water: receiver },
      };
      return {
        ...(await serve(emulator, gateway.listener)),
        connect: (baseUrl, options) =>
          connectTo(protocol, baseUrl, { ...options, settings, secret: SECRET }),
        isInstruction: (_method, path) => path === '/mpesa/b2b/v1/paymentrequest',
        accountFor: accountsBy({ ...SUFFIXES, paid_later: '9913' }),
        expireTokens: () => gateway.expireTokens(),
        limitRate: (requests) => gateway.limitRate(requests),
        skewClock: (byMs) => emulator.skewClock(byMs),
      };
    },
  };
}
