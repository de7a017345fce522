import { Type } from 'typebox';
import { parseMoney } from '../../src/platform/base/money.ts';
import { compose } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/platform/log.ts';
import { addOperation } from '../../src/platform/http/routes.ts';
import { KnownNames } from '../../src/platform/http/wire/parameters.ts';
import type { OperationDeps } from '../../src/platform/http/identify.ts';
import type { Operation } from '../../src/platform/http/operation.ts';
import { createAuthenticators, describeSender } from '../../src/parties/http/authenticate.ts';
import { keyIdOf } from '../../src/parties/directory.ts';
import type { Vendor } from '../../src/parties/vendor.ts';
import { answerDecision, planPayment } from '../../src/payments/create/create-rules.ts';
import { createPerRequest } from '../contestants.ts';
import { HELLO_PATH, PER_REQUEST_PATH } from '../suites/http.ts';
import { serveParent } from './child.ts';
import { HELLO_ANSWER } from './hello-answer.ts';

/** The real service, with two more operations on the same listener for comparison. */

/** At about this number of connections, one database transaction per request is fastest on one hot row. */
const PER_REQUEST_CONNECTIONS = 8;

const level = process.env['BENCH_LOG_LEVEL'] ?? 'warn';
const config = readConfig('production', {
  ...process.env,
  PORT: '0',
  LOG_LEVEL: level,
});
if (config.databaseUrl === undefined || config.masterKey === undefined) {
  throw new Error('DATABASE_URL and MASTER_KEY are required');
}
const service = await compose({
  config,
  databaseUrl: config.databaseUrl,
  masterKeys: { current: config.masterKey, previous: undefined },
  // The stage reads no standard output: the lines are made and written, and go nowhere.
  log: createLog({ level, roles: config.roles, destination: level === 'info' ? 1 : 2 }),
});
const perRequestPool = createPool({
  url: config.databaseUrl,
  max: PER_REQUEST_CONNECTIONS,
  name: 'per request',
  byIndexOnly: true,
});

/** The parameters of create; only their signature is checked. */
const request = Type.Object({
  vid: Type.String(),
  biller_name: Type.String(),
  amount: Type.String(),
  account: Type.String(),
  phone: Type.Optional(Type.String()),
  merchant_reference: Type.Optional(Type.String()),
});
const response = Type.Object({
  header_status: Type.Integer(),
  msg: Type.Object({
    status: Type.Integer(),
    text: Type.String(),
    ipay_reference: Type.String(),
    posted_time: Type.String(),
  }),
});
const described = {
  method: 'POST',
  tag: 'Bench',
  description: '',
  signedBy: createAuthenticators(service.authentication).byVendor,
  request,
  response,
  refusals: {},
} as const;

const example = {
  request: { vid: 'demo', biller_name: 'kplc_prepaid', amount: '100', account: '37200009901' },
  answer: HELLO_ANSWER,
};

/** Reads, finds the key, checks the signature, and answers as much as create does. */
const hello: Operation<typeof request, typeof response, Vendor> = {
  ...described,
  name: 'hello',
  path: HELLO_PATH,
  summary: 'Hello',
  example,
  handle: () => ({ ...HELLO_ANSWER, msg: { ...HELLO_ANSWER.msg } }),
};

/** The obvious way: the rules of create, then a database transaction with six round trips. */
const perRequest: Operation<typeof request, typeof response, Vendor> = {
  ...described,
  name: 'perRequest',
  path: PER_REQUEST_PATH,
  summary: 'One transaction per request',
  example,
  handle: async (fields, vendor) => {
    const payment = planPayment(
      {
        billerCode: fields.biller_name,
        account: fields.account,
        phone: fields.phone ?? null,
        amountCents: parseMoney(fields.amount),
        merchantReference: fields.merchant_reference ?? null,
      },
      vendor,
      service.catalogue.biller(fields.biller_name),
    );
    const createdAt = await createPerRequest(perRequestPool, payment);
    const created = answerDecision(payment, {
      kind: 'accepted',
      paymentId: payment.paymentId,
      createdAt,
      feeCents: payment.feeCents,
    });
    return {
      header_status: 200,
      msg: {
        status: 1,
        text: 'Transaction queued and pending processing',
        ipay_reference: created.reference,
        posted_time: created.createdAt.toISOString().slice(0, 19).replace('T', ' '),
      },
    };
  },
};

if (config.roles.has('api')) {
  const { limits, directory } = service.authentication;
  const deps: OperationDeps = {
    limits,
    knownNames: new KnownNames(),
    // So that their requests are logged as those of a vendor.
    describeKey: (key) => ({ key_id: keyIdOf(key) ?? '' }),
    describeSender: (fields) => describeSender(fields, directory),
  };
  addOperation(service.app, hello, deps);
  addOperation(service.app, perRequest, deps);
}
const address = await service.start();

serveParent({
  ready: { port: Number(new URL(address).port) },
  answer: () => Promise.reject(new Error('nothing can be asked')),
  stop: async () => {
    await service.stop();
    await perRequestPool.end();
  },
});
