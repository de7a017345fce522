import { darajaB2b as payBills } from '../../../src/connectors/operators/daraja-b2b/protocol.ts';
import { darajaB2c as phones } from '../../../src/connectors/operators/daraja-b2c/protocol.ts';
import type { Protocol } from '../../../src/connectors/operator.ts';
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

interface Way {
  readonly name: string;
  readonly protocol: Protocol;
  readonly billerCode: string;
  readonly settings: object;
  readonly path: string;
  readonly accountOf?: (number: number, suffix: string) => string;
}

/** @param receiver of the biller's payments, as its settings name it. */
export const darajaB2b = (
  answers: Unestablished,
  receiver: object = { pay_bill: '600200' },
): Subject =>
  subjectOf(answers, {
    name: `daraja-b2b to ${Object.keys(receiver).join(', ')}`,
    protocol: payBills,
    billerCode: 'nairobi_water',
    settings: { billers: { nairobi_water: receiver } },
    path: '/mpesa/b2b/v1/paymentrequest',
  });

export const darajaB2c = (answers: Unestablished): Subject =>
  subjectOf(answers, {
    name: 'daraja-b2c',
    protocol: phones,
    billerCode: 'mpesa_payout',
    settings: {},
    path: '/mpesa/b2c/v3/paymentrequest',
    accountOf: (number, suffix) => `2547${String(number).padStart(4, '0')}${suffix}`,
  });

function subjectOf(answers: Unestablished, way: Way): Subject {
  return {
    name: `${way.name}, asked by ${answers.originalId} id, ${answers.unknownId} about an unknown one`,
    billerCode: way.billerCode,
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
        ...way.settings,
      };
      return {
        ...(await serve(emulator, gateway.listener)),
        connect: (baseUrl, options) =>
          connectTo(way.protocol, baseUrl, { ...options, settings, secret: SECRET }),
        isInstruction: (_method, path) => path === way.path,
        accountFor: accountsBy({ ...SUFFIXES, paid_later: '9913' }, way.accountOf),
        expireTokens: () => gateway.expireTokens(),
        limitRate: (requests) => gateway.limitRate(requests),
        skewClock: (byMs) => emulator.skewClock(byMs),
      };
    },
  };
}
