import type { Command } from 'commander';
import { readVids } from '../../parties/store.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { approvePayout, proposePayout, rejectPayout } from '../../payments/payouts/payouts.ts';
import { listPayouts } from '../../payments/payouts/store.ts';
import type { PayoutRow } from '../../payments/payouts/store.ts';
import {
  command,
  moneyAboveZero,
  noteText,
  printable,
  signerName,
  wholeNumber,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { requireVendor } from '../parties/vendors.ts';
import { asPerson, financeAct } from '../parties/as-person.ts';
import { addDecisions, decisionText } from '../parties/decisions.ts';

/** `vendor payout`: money to a vendor's own bank, by two people. */
export function addPayouts(vendor: Command, cli: Cli): void {
  const payout = vendor
    .command('payout')
    .description('Money from a vendor’s collected income to its bank, by two people.');
  addPropose(payout, cli);
  addList(payout, cli);
  addDecisions(payout, cli, {
    noun: 'payout',
    summaries: {
      approve: 'Book another person’s payout.',
      reject: 'Reject a payout. Nothing is booked.',
    },
    act: (step, { id, by }) => financeAct(`payout.${step}`, by, id),
    approve: async ({ pool, ledgerMac }, { id: payoutId, by }) =>
      await approvePayout({ pool, ledgerMac: await ledgerMac() }, { payoutId, by }),
    reject: async ({ pool }, { id: payoutId, by }) => await rejectPayout(pool, { payoutId, by }),
    answer: payoutAnswer,
  });
}

interface ProposeOptions {
  readonly json?: boolean;
  readonly amount: bigint;
  readonly bankAccount: string;
  readonly reference: string;
  readonly note: string;
  readonly evidence: string;
  readonly by: string;
}

function addPropose(payout: Command, cli: Cli): void {
  command(payout, 'propose', 'Propose a payout. Another person approves it: vendor payout approve.')
    .argument('<vid>', 'vendor ID', signerName)
    .requiredOption('--amount <amount>', 'in KES', moneyAboveZero)
    .requiredOption('--bank-account <account>', 'where the money goes', printable(100))
    .requiredOption('--reference <reference>', 'reference of the bank’s transfer', printable(100))
    .requiredOption('--note <text>', 'why', noteText)
    .requiredOption('--evidence <text>', 'where it can be looked up', noteText)
    .requiredOption('--by <name>', 'who proposes it')
    .action(async (vid: string, options: ProposeOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const deps = { pool, ledgerMac: await session.ledgerMac() };
        const { vendorId } = await requireVendor(pool, vid);
        const { bankAccount, reference, note, evidence, amount: amountCents } = options;
        const texts = { bankAccount, reference, note, evidence };
        const act = { ...financeAct('payout.propose', options.by, vid), reason: note };
        const row = await asPerson(cli, session, act, (by) =>
          proposePayout(deps, { ...texts, vendorId, amountCents, by }),
        );
        return { json: payoutJson(row, vid), text: payoutText(row, vid, wireTime) };
      });
    });
}

function addList(payout: Command, cli: Cli): void {
  command(payout, 'list', 'Payouts that wait for another person’s approval.')
    .option('--all', 'also those that were decided')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; all?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { all, limit } = options;
        const rows = await listPayouts(pool, { open: all !== true, vendorId: null, limit });
        const vids = await readVids(pool);
        const nameOf = ({ vendorId }: PayoutRow): string => vids.get(vendorId) ?? '';
        return {
          json: { payouts: rows.map((row) => payoutJson(row, nameOf(row))) },
          text: table(
            [
              { title: 'PAYOUT' },
              { title: 'PROPOSED' },
              { title: 'VENDOR' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'REFERENCE' },
              { title: 'STATE' },
            ],
            rows.map((row) => [
              row.payoutId,
              wireTime.format(row.proposedAt),
              nameOf(row),
              formatMoney(row.amountCents),
              row.reference,
              decisionText(row),
            ]),
            'no payouts',
          ),
        };
      });
    });
}

async function payoutAnswer(row: PayoutRow, { pool, wireTime }: Session): Promise<Answer> {
  const vid = (await readVids(pool)).get(row.vendorId) ?? '';
  return { json: payoutJson(row, vid), text: payoutText(row, vid, wireTime) };
}

function payoutJson(row: PayoutRow, vid: string) {
  return {
    payout: row.payoutId,
    vid,
    amount: formatMoney(row.amountCents),
    bank_account: row.bankAccount,
    reference: row.reference,
    note: row.note,
    evidence: row.evidence,
    proposed_by: row.proposedBy,
    proposed_at: row.proposedAt.toISOString(),
    decision: row.decision,
    decided_by: row.decidedBy,
    posted_at: row.postedAt?.toISOString() ?? null,
  };
}

function payoutText(row: PayoutRow, vid: string, wireTime: WireTime): string {
  return record([
    ['payout', row.payoutId],
    ['vendor', vid],
    ['amount', formatMoney(row.amountCents)],
    ['bank account', row.bankAccount],
    ['reference', row.reference],
    ['note', row.note],
    ['evidence', row.evidence],
    ['posted', row.postedAt === null ? '' : wireTime.format(row.postedAt)],
    ['state', decisionText(row)],
  ]);
}
