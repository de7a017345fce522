import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import * as fields from '../../payments/operations/fields.ts';
import type { Created } from '../../payments/create/create-rules.ts';
import { openPayments } from '../../payments/payments.ts';
import { PRODUCTION_TIMING } from '../../payments/timing.ts';
import { quietLog } from './quiet-log.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import { command, like, moneyAboveZero, signerName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import type { Session } from '../session.ts';
import { findPayment } from '../../payments/timeline/find.ts';
import { paymentDetailOf } from '../../staff/payment-core.ts';
import { paymentDetail } from '../../staff/payment-schema.ts';
import type { PaymentDetail } from '../../staff/payment-schema.ts';
import { objectText } from '../staff/shown.ts';
import { requireActiveVendor } from '../parties/vendors.ts';

interface PayOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly biller: string;
  readonly account: string;
  readonly amount: bigint;
  readonly phone?: string;
  readonly merchantReference?: string;
  /** Seconds; true: the default. */
  readonly wait?: number | true;
}

const WAIT_SECONDS = 60;
const LOOK_EVERY_MS = 200;

export function addPayCommand(program: Command, cli: Cli): void {
  command(
    program,
    'pay',
    'Create a payment under the same rules as the API. A running service sends it. Only in the sandbox, and while fewer than two people sign in.',
  )
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .requiredOption('--biller <code>', 'biller code', like(fields.billerCode))
    .requiredOption('--account <account>', 'account at the biller', like(fields.account))
    .requiredOption('--amount <amount>', 'in KES', moneyAboveZero)
    .option('--phone <phone>', 'phone number, if the biller needs it', like(fields.phone))
    .option(
      '--merchant-reference <reference>',
      'unique reference; a repeat is not paid again',
      like(fields.merchantReference),
    )
    .option(
      '--wait [seconds]',
      'wait for the final result, by default 60 s; exits with 1 if the payment failed, with 3 if it has no result yet',
      wholeNumber(1, 3600),
    )
    .action(async (options: PayOptions) => {
      await cli.run(options, async (session) => {
        const created = await create(session, options);
        const payment =
          options.wait === undefined
            ? await read(session, created)
            : await waitForEnd(session, created, {
                seconds: options.wait === true ? WAIT_SECONDS : options.wait,
                onLook: (status) => cli.progress.show(`${created.reference} is ${status}`),
              });
        const note =
          options.wait !== undefined && payment.settled_at === null
            ? '\nIt has no final result yet. Is a service running on this database? Query it later with: payment show.'
            : '';
        const how = { wireTime: session.wireTime, wide: false };
        return {
          json: { ...payment, replayed: created.replayed },
          text: `${created.replayed ? 'This reference was accepted before:\n' : ''}${objectText(paymentDetail, payment, how)}${note}`,
          exitCode: options.wait === undefined ? EXIT.done : exitCodeOf(payment),
        };
      });
    });
}

function exitCodeOf({ settled_at: settledAt, status }: PaymentDetail): number {
  if (settledAt === null) return EXIT.notEnded;
  return status === 'SUCCESS' ? EXIT.done : EXIT.failed;
}

/**
 * A vendor’s float is the vendor’s to spend. Throws: `PlainError` where two people sign in: then nobody on the machine
 * of the service pays alone.
 */
async function requireAlone({ pool }: Session): Promise<void> {
  if (await mayActAlone(pool)) return;
  throw new PlainError(
    'Where two people sign in, only the vendor spends its float: with its security key through the API, or with its people’s logins on the page Pay of the console. What an operator paid by mistake is a case.',
  );
}

async function create(session: Session, options: PayOptions): Promise<Created> {
  await requireAlone(session);
  const vendor = await requireActiveVendor(session.pool, options.vid);
  const payments = openPayments({
    pool: session.pool,
    openPool: ({ max }) => session.openPool(max),
    directory: { vendorById: () => undefined },
    roles: new Set(),
    settings: { ...session.config, laneConnections: 1 },
    timing: PRODUCTION_TIMING,
    operators: { connectorOf: () => undefined },
    log: quietLog,
  });
  await payments.catalogue.reload();
  return await payments.create(
    {
      billerCode: options.biller,
      account: options.account,
      phone: options.phone ?? null,
      amountCents: options.amount,
      merchantReference: options.merchantReference ?? null,
    },
    {
      vendorId: vendor.vendorId,
      duplicateCheck: vendor.duplicateCheck,
      duplicateWindowSeconds: vendor.duplicateWindowSeconds,
      referenceRequired: vendor.referenceRequired,
    },
  );
}

async function read({ pool }: Session, { reference }: Created): Promise<PaymentDetail> {
  const found = await findPayment(pool, reference);
  if (found === undefined) throw new Error('the payment that was created cannot be read');
  return paymentDetailOf(found, {}, { vendor: undefined });
}

async function waitForEnd(
  session: Session,
  created: Created,
  options: { readonly seconds: number; readonly onLook: (status: string) => void },
): Promise<PaymentDetail> {
  const until = performance.now() + options.seconds * 1000;
  for (;;) {
    const payment = await read(session, created);
    if (payment.settled_at !== null || performance.now() >= until) return payment;
    options.onLook(`${payment.status}, ${payment.amount} KES`);
    await delay(LOOK_EVERY_MS);
  }
}
