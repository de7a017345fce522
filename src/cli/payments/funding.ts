import type { Command } from 'commander';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { movementBefore } from '../../payments/collections/collect.ts';
import type { CollectedIncome, Movement } from '../../payments/collections/collect.ts';
import { fund } from '../../payments/collections/fund.ts';
import { findCollection } from '../../payments/collections/store.ts';
import type { CollectionRow } from '../../payments/collections/store.ts';
import { proposeCollection } from '../../payments/receipts/collection.ts';
import * as fields from '../../payments/operations/fields.ts';
import { readBalance } from '../../payments/ledger/store.ts';
import { findCollector, scopeOf } from '../../parties/store.ts';
import { isInScope } from '../../parties/vendor.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import { command, like, moment, moneyAboveZero, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { openProposals, waitingAnswer } from '../parties/proposal.ts';
import { asSetter, nextStep, requireReason, sayAlone, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { requireVendor, requireActiveVendor } from '../parties/vendors.ts';

interface CollectOptions extends SetterOptions {
  readonly json?: boolean;
  readonly collector: string;
  readonly vid: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly paidAt?: string;
}

export function addCollectCommand(program: Command, cli: Cli): void {
  const collect = command(
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
    .option('--paid-at <time>', 'when the customer paid (default: now)');
  withSetter(collect, false, 'who reports it').action(async (options: CollectOptions) => {
    await cli.run(options, async (session) => {
      const { pool } = session;
      const { vid, collector, reference } = options;
      const income = await incomeOf(session, options);
      const { vendorId } = income;
      const repeated = await findCollection(pool, collector, reference);
      const answer = async (known: Omit<CollectionRow, 'mac'>, fresh: boolean) => {
        const movement = { ...movementBefore(known, income), fresh };
        return await movementAnswer(session, movement, { vid, account: 'collected', vendorId });
      };
      if (repeated !== undefined) return await answer(repeated, false);
      const proposals = await openProposals(session);
      const row = await propose(cli, session, proposals, { ...options, income });
      if (row?.decision === null) {
        return await waitingAnswer(session, proposals, row, nextStep(RECEIPTS));
      }
      const made = await findCollection(pool, collector, reference);
      if (made === undefined) throw new Error(`${reference} was not collected`);
      if (row !== undefined) sayAlone(cli);
      return await answer(made, row !== undefined);
    });
  });
}

const RECEIPTS = 'receipts.act';

/** Throws: what stands against it that nobody can approve. */
async function incomeOf(
  { pool, wireTime }: Session,
  { collector, vid, reference, amount: amountCents, paidAt: given }: CollectOptions,
): Promise<CollectedIncome> {
  const at = given === undefined ? undefined : moment(given, '--paid-at', wireTime);
  const signer = await findCollector(pool, collector);
  if (signer === undefined) {
    const text = `There is no collector ${collector}`;
    throw new Refusal('invalid_field', { field: 'collector', text });
  }
  if (signer.status === 'suspended') {
    const text = 'This collector is suspended';
    throw new Refusal('vendor_suspended', { field: 'collector', text });
  }
  if (!isInScope(scopeOf(signer), vid)) {
    throw new Refusal('collector_not_allowed', { field: 'vid' });
  }
  const { vendorId } = await requireVendor(pool, vid);
  // Without a time, a repeat means the same collection, not another one.
  const paidAt = at ?? (await findCollection(pool, collector, reference))?.paidAt ?? new Date();
  return { collector, reference, vendorId, amountCents, paidAt };
}

/** Undefined: the same command, at the same time, was quicker. */
async function propose(
  cli: Cli,
  session: Session,
  proposals: Proposals,
  asked: SetterOptions & { readonly income: CollectedIncome; readonly vid: string },
): Promise<ProposalRow | undefined> {
  const { by, note, income, vid } = asked;
  const { pool } = session;
  const { collector, reference } = income;
  if (!(await mayActAlone(pool))) requireReason(note);
  const about = { permission: RECEIPTS, action: 'collection.propose', target: vid } as const;
  try {
    return await asSetter(cli, session, { ...about, by, reason: note }, async (actor) =>
      proposeCollection(proposals, { income, vid, note, by: actor }),
    );
  } catch (error) {
    if ((await findCollection(pool, collector, reference)) === undefined) throw error;
    return undefined;
  }
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
