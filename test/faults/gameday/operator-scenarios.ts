import { createSigning } from '../../../src/connectors/operators/http-json/signing.ts';
import { encodeReference } from '../../../src/parties/reference.ts';
import { readUnchainedSeconds } from '../../../src/payments/ledger/store.ts';
import { SANDBOX_OPERATOR_KEY } from '../../../sandbox/operators/options.ts';
import { until } from '../../support/until.ts';
import { send } from '../../support/vendor-client.ts';
import { passOnEverything } from './gateway.ts';
import type { Answerer } from './gateway.ts';
import { BILLER, OPERATOR } from './installation.ts';
import type { Installation } from './installation.ts';
import type { Scenario } from './scenario.ts';

const OPERATOR_SECTION = 'an-operator-is-down-or-out-of-float';

const operatorDown: Scenario = {
  name: 'operator-down',
  fault: 'the operator refuses connections',
  alert: 'MalipoBillerUnusable',
  section: OPERATOR_SECTION,
  command: 'malipo route BILLER AMOUNT',
  begin: async ({ gateway }) => gateway.goDown(),
  look: async ({ malipo }) => await malipo('route', BILLER, '60.00'),
  end: async ({ gateway }) => {
    await gateway.comeBack();
    return 'the operator is back';
  },
};

const garbage: Scenario = {
  name: 'garbage',
  fault: 'the operator pays, and answers every instruction and status query with HTML',
  alert: 'MalipoMostPaymentsUnanswered',
  section: OPERATOR_SECTION,
  command: 'malipo payment show REFERENCE',
  begin: async ({ gateway }) => {
    gateway.answer = async ({ path }, passOn) => {
      const answer = await passOn();
      return path.startsWith('/payments') ? '<html>It works!</html>' : answer;
    };
  },
  look: async ({ malipo, pool }) => {
    const open = await pool.query<{ vendor_id: number; payment_id: string }>(
      `select vendor_id, payment_id from dispatch_queue where stage = 'verify' limit 1`,
    );
    const { vendor_id: vendorId = 0, payment_id: paymentId = '' } = open.rows[0] ?? {};
    return await malipo('payment', 'show', encodeReference(vendorId, paymentId));
  },
  end: async ({ gateway }) => {
    gateway.answer = passOnEverything;
    return 'the operator has corrected its answers';
  },
};

const emptyFloat: Answerer = async ({ path, content }, passOn) => {
  if (path === '/balance') {
    return JSON.stringify({ status: 'ok', balance: '0.00', currency: 'KES' });
  }
  if (path !== '/payments') return await passOn();
  const about = { reference: content.reference, message: 'top up' };
  return JSON.stringify({ status: 'unavailable', code: 'operator_float_empty', ...about });
};

const floatEmpty: Scenario = {
  name: 'float-empty',
  fault: 'our float with the operator is empty',
  alert: 'MalipoOperatorFloatStopped',
  section: OPERATOR_SECTION,
  command: 'malipo operator floats',
  prepare: async ({ malipo }) => {
    const limits = '--low 500000 --stop 50000 --resume 200000'.split(' ');
    await malipo('operator', 'set-float', OPERATOR, ...limits);
  },
  begin: async ({ gateway }) => {
    gateway.answer = emptyFloat;
  },
  look: async ({ malipo }) => await malipo('operator', 'floats'),
  end: async ({ gateway }) => {
    gateway.answer = passOnEverything;
    return 'topped up at the operator';
  },
};

const TWICE = '8899990001';

async function isSettled({ vendor }: Installation, reference: string): Promise<boolean> {
  const { transaction_status: status } = await vendor.payment(reference);
  return status === 'SUCCESS' || status === 'FAILED';
}

/** The instruction that the operator declined although it paid. */
const declined = { reference: '' };

const doublePayment: Scenario = {
  name: 'double-payment',
  fault:
    'the operator reports a payment as paid that it had declined, after the vendor has paid the bill again',
  alert: 'MalipoOperatorContradicts',
  section: 'a-payment-may-have-been-made-twice',
  command: 'malipo case show CASE',
  prepare: async (at) => {
    const { gateway, load } = at;
    gateway.answer = async ({ path, content }, passOn) => {
      const answer = await passOn();
      if (path !== '/payments' || content.account !== TWICE) return answer;
      const about = { reference: content.reference, code: 'declined', message: 'no' };
      return JSON.stringify({ status: 'declined', ...about });
    };
    declined.reference = (await load.payOne(TWICE)).reference;
    await until('it has failed', async () => await isSettled(at, declined.reference));
    gateway.answer = passOnEverything;
    const { reference } = await load.payOne(TWICE);
    await until('it is paid', async () => await isSettled(at, reference));
  },
  begin: async ({ apis: [api] }) => {
    const paid = {
      status: 'paid',
      reference: declined.reference,
      operator_reference: 'LATE-1',
      amount: '60.00',
      currency: 'KES',
      message: 'paid after all',
      paid_at: new Date().toISOString(),
    };
    const body = JSON.stringify(paid);
    const headers = createSigning(SANDBOX_OPERATOR_KEY).headers(body);
    const request = { method: 'POST', path: `/callbacks/${OPERATOR}`, body };
    const answer = await send(api?.origin ?? '', {
      ...request,
      headers: { 'content-type': 'application/json', ...headers },
    });
    if (answer.status !== 200) throw new Error(`the callback was refused: ${answer.text}`);
  },
  look: async (at) => await at.malipo('case', 'show', await openCase(at)),
  end: async (at) => {
    const caseId = await openCase(at);
    const why = ['--note', 'the operator keeps both payments'];
    const text = await at.malipo(
      ...['case', 'propose', caseId, '--resolution', 'receivable'],
      ...['--by', 'Asha', ...why, '--json'],
    );
    const field = (name: string): string =>
      new RegExp(`"${name}":\\s*"([\\w-]+)"`).exec(text)?.[1] ?? '';
    const seen = ['--seen', field('seen')];
    await at.malipo('proposal', 'approve', field('proposal'), ...seen, '--by', 'Baraka');
    return 'two people decided: the operator owes the payment';
  },
  isWell: async ({ pool }) =>
    (await pool.query('select from cases where resolved_at is null')).rowCount === 0,
};

async function openCase({ pool }: Installation): Promise<string> {
  const read = await pool.query<{ id: string }>(
    'select case_id::text as id from cases where resolved_at is null',
  );
  return read.rows[0]?.id ?? '';
}

const PENDING = '8899990002';
const pending = { reference: '', merchantReference: '' };

/** Makes the payment older, or as old as it is again. */
async function age({ pool }: Installation, interval: string): Promise<void> {
  await pool.query(
    `update payments set created_at = created_at - $1::interval where merchant_reference = $2`,
    [interval, pending.merchantReference],
  );
}

const pendingForAnHour: Scenario = {
  name: 'pending',
  fault: 'the outcome of a payment has been unknown for an hour',
  alert: 'MalipoOutcomeUnknown',
  section: 'a-payment-stays-pending',
  command: 'malipo payment show REFERENCE',
  prepare: async (at) => {
    const { gateway, load, pool, vendor } = at;
    // An altered row must be in the hash chain already, or the chain would keep the altered one.
    await load.pause();
    gateway.answer = async ({ content }, passOn) => {
      const answer = await passOn();
      const { reference } = content;
      const isIt = content.account === PENDING || reference === pending.reference;
      return isIt ? JSON.stringify({ status: 'processing', reference }) : answer;
    };
    Object.assign(pending, await load.payOne(PENDING));
    await until('its outcome is unknown', async () => {
      return (await vendor.payment(pending.reference)).transaction_status === 'PENDING';
    });
    await until('everything is in the hash chain', async () => await isChained(pool), 60_000);
  },
  begin: async (at) => await age(at, '1 hour'),
  look: async ({ malipo }) => await malipo('payment', 'show', pending.reference),
  end: async (at) => {
    await age(at, '-1 hour');
    at.gateway.answer = passOnEverything;
    at.load.resume();
    return 'the operator reports the result';
  },
  isWell: async (at) => await isSettled(at, pending.reference),
};

async function isChained(pool: Installation['pool']): Promise<boolean> {
  return (await readUnchainedSeconds(pool)) === 0;
}

export const OPERATOR_SCENARIOS: readonly Scenario[] = [
  operatorDown,
  garbage,
  floatEmpty,
  doublePayment,
  pendingForAnHour,
];
