import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeReference } from '../../parties/reference.ts';
import { formatMoney } from '../../platform/base/money.ts';
import * as fields from '../../payments/operations/fields.ts';
import type { Created } from '../../payments/create/create-rules.ts';
import { readPayment } from '../../payments/create/store.ts';
import type { PaymentRow } from '../../payments/create/store.ts';
import { statusOf } from '../../payments/create/payment.ts';
import { openPayments } from '../../payments/payments.ts';
import { PRODUCTION_TIMING } from '../../payments/timing.ts';
import { quietLog } from './quiet-log.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import { command, like, moneyAboveZero, signerName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import type { Session } from '../session.ts';
import { paymentJson, paymentText } from './payment-view.ts';
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
        const known = decodeReference(created.reference);
        if (known === undefined) throw new Error('create returned no reference');
        const row =
          options.wait === undefined
            ? await read(session, known)
            : await waitForEnd(session, known, {
                seconds: options.wait === true ? WAIT_SECONDS : options.wait,
                onLook: (status) => cli.progress.show(`${created.reference} is ${status}`),
              });
        const open = row.outcome === null;
        const note =
          options.wait !== undefined && open
            ? '\nIt has no final result yet. Is a service running on this database? Query it later with: status.'
            : '';
        return {
          json: { ...paymentJson(row, options.vid), replayed: created.replayed },
          text: `${created.replayed ? 'This reference was accepted before:\n' : ''}${paymentText(row, options.vid, session.wireTime)}${note}`,
          exitCode: options.wait === undefined ? EXIT.done : exitCodeOf(row),
        };
      });
    });
}

function exitCodeOf(row: PaymentRow): number {
  if (row.outcome === null) return EXIT.notEnded;
  return row.outcome === 'success' ? EXIT.done : EXIT.failed;
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

interface Known {
  readonly vendorId: number;
  readonly paymentId: string;
}

async function read(session: Session, known: Known): Promise<PaymentRow> {
  const row = await readPayment(session.pool, known.vendorId, known.paymentId);
  if (row === undefined) throw new Error('the transaction that was created cannot be read');
  return row;
}

async function waitForEnd(
  session: Session,
  known: Known,
  options: { readonly seconds: number; readonly onLook: (status: string) => void },
): Promise<PaymentRow> {
  const until = performance.now() + options.seconds * 1000;
  for (;;) {
    const row = await read(session, known);
    if (row.outcome !== null || performance.now() >= until) return row;
    options.onLook(`${statusOf(row.outcome, row.underWay)}, ${formatMoney(row.amountCents)} KES`);
    await delay(LOOK_EVERY_MS);
  }
}
