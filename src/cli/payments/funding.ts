import type { Command } from 'commander';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { collect } from '../../payments/collections/collect.ts';
import type { Movement } from '../../payments/collections/collect.ts';
import { fund } from '../../payments/collections/fund.ts';
import { requireNoReceipt } from '../../payments/receipts/identify.ts';
import { findCollection } from '../../payments/collections/store.ts';
import * as fields from '../../payments/operations/fields.ts';
import { readBalance } from '../../payments/ledger/store.ts';
import { findCollector, scopeOf } from '../../parties/store.ts';
import { isInScope } from '../../parties/vendor.ts';
import { command, like, moment, moneyAboveZero, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { requireVendor, requireActiveVendor } from '../parties/vendors.ts';

interface CollectOptions {
  readonly json?: boolean;
  readonly collector: string;
  readonly vid: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly paidAt?: string;
}

export function addCollectCommand(program: Command, cli: Cli): void {
  command(
    program,
    'collect',
    'Report income that a collector collected for a vendor. A repeated reference of a collector counts once.',
  )
    .requiredOption('--collector <collector>', 'the collector', signerName)
    .requiredOption('--vid <vid>', 'the vendor', signerName)
    .requiredOption(
      '--reference <reference>',
      'the collector’s own reference',
      like(fields.merchantReference),
    )
    .requiredOption('--amount <amount>', 'in KES', moneyAboveZero)
    .option('--paid-at <time>', 'when the customer paid (default: now)')
    .action(async (options: CollectOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const { collector, vid, reference, amount: amountCents } = options;
        const given =
          options.paidAt === undefined ? undefined : moment(options.paidAt, '--paid-at', wireTime);
        const signer = await findCollector(pool, collector);
        if (signer === undefined) {
          throw new Refusal('invalid_field', {
            field: 'collector',
            text: `There is no collector ${collector}`,
          });
        }
        if (signer.status === 'suspended') {
          throw new Refusal('vendor_suspended', {
            field: 'collector',
            text: 'This collector is suspended',
          });
        }
        if (!isInScope(scopeOf(signer), vid)) {
          throw new Refusal('collector_not_allowed', { field: 'vid' });
        }
        const { vendorId } = await requireVendor(pool, vid);
        // Without a time, a repeat means the same collection, not another one.
        const known = given ?? (await findCollection(pool, collector, reference))?.paidAt;
        const paidAt = known ?? new Date();
        const income = { collector, reference, vendorId, amountCents, paidAt };
        const ledgerMac = await session.ledgerMac();
        const movement = await collect({ pool, ledgerMac }, income, async (client) => {
          await requireNoReceipt(client, income);
        });
        return movementAnswer(session, movement, { vid, account: 'collected', vendorId });
      });
    });
}

export function addFundCommand(program: Command, cli: Cli): void {
  command(program, 'fund', 'Move all of a vendor’s collected income into its float.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .action(async (options: { json?: boolean; vid: string }) => {
      await cli.run(options, async (session) => {
        const { vid } = options;
        const { vendorId } = await requireActiveVendor(session.pool, vid);
        const movement = await fund(session.pool, { vendorId, requestedAt: new Date() });
        return movementAnswer(session, movement, { vid, account: 'float', vendorId });
      });
    });
}

async function movementAnswer(
  session: Session,
  movement: Movement,
  location: {
    readonly vid: string;
    readonly vendorId: number;
    readonly account: 'collected' | 'float';
  },
): Promise<Answer> {
  const balance = formatMoney(await readBalance(session.pool, location.vendorId, location.account));
  const json = {
    vid: location.vid,
    amount: formatMoney(movement.amountCents),
    reference: movement.reference,
    posted_at: movement.postedAt.toISOString(),
    repeated: movement.reference !== null && !movement.fresh,
    [location.account]: balance,
  };
  const result =
    movement.reference === null ? 'nothing to move' : json.repeated ? 'moved before' : 'moved';
  return {
    json,
    text: record([
      ['vendor', location.vid],
      ['result', result],
      ['amount', json.amount],
      ['reference', movement.reference ?? ''],
      ['posted', session.wireTime.format(movement.postedAt)],
      [`${location.account} now`, balance],
    ]),
  };
}
