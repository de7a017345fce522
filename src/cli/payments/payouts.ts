import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import {
  enterTransfer,
  findPayout,
  listPayouts,
  proposePayout,
  proposeReturn,
} from '../../payments/payouts/payouts.ts';
import type { Payout } from '../../payments/payouts/payouts.ts';
import {
  command,
  idOf,
  moneyAboveZero,
  noteText,
  printable,
  signerName,
  wholeNumber,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';
import { asPerson, financeAct } from '../parties/as-person.ts';
import { openProposals, proposalAnswer } from '../parties/proposal.ts';

/** `vendor payout`: money to a vendor's own bank, by two people. */
export function addPayouts(vendor: Command, cli: Cli): void {
  const payout = vendor
    .command('payout')
    .description(
      'Money from a vendor’s collected income to its bank: propose it, another person approves it (proposal approve), make the transfer, enter its reference.',
    );
  addPropose(payout, cli);
  addList(payout, cli);
  addPaid(payout, cli);
  addReturn(payout, cli);
}

interface ProposeOptions {
  readonly json?: boolean;
  readonly amount: bigint;
  readonly bankAccount: string;
  readonly reference?: string;
  readonly note: string;
  readonly evidence: string;
  readonly by: string;
}

function addPropose(payout: Command, cli: Cli): void {
  command(
    payout,
    'propose',
    'Propose a payout, before the bank’s transfer. The money is held until another person decides.',
  )
    .argument('<vid>', 'vendor ID', signerName)
    .requiredOption('--amount <amount>', 'in KES', moneyAboveZero)
    .requiredOption('--bank-account <account>', 'where the money goes', printable(100))
    .option(
      '--reference <reference>',
      'only if the transfer was already made: its reference at the bank. What the vendor has spent meanwhile is what it owes us',
      printable(100),
    )
    .requiredOption('--note <text>', 'why', noteText)
    .requiredOption('--evidence <text>', 'where it can be looked up', noteText)
    .requiredOption('--by <name>', 'who proposes it')
    .action(async (vid: string, options: ProposeOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const proposals = await openProposals(session);
        const { vendorId } = await requireVendor(pool, vid);
        const { bankAccount, reference = null, note, evidence, amount: amountCents } = options;
        const texts = { bankAccount, reference, note, evidence };
        const act = { ...financeAct('payout.propose', options.by, vid), reason: note };
        const row = await asPerson(cli, session, act, (_by, by) =>
          proposePayout(proposals, { ...texts, vendorId, vid, amountCents, by }),
        );
        const made = await findPayout(pool, proposals, row.proposalId);
        return payoutAnswer(made, wireTime);
      });
    });
}

function addPaid(payout: Command, cli: Cli): void {
  command(
    payout,
    'paid',
    'Enter the reference of the transfer of an approved payout, which books it.',
  )
    .argument('<payout>', 'its id', idOf('payout'))
    .requiredOption('--reference <reference>', 'reference of the bank’s transfer', printable(100))
    .requiredOption('--by <name>', 'who enters it')
    .action(
      async (payoutId: string, options: { json?: boolean; reference: string; by: string }) => {
        await cli.run(options, async (session) => {
          const { pool, wireTime } = session;
          const proposals = await openProposals(session);
          const deps = { pool, ledgerMac: await session.ledgerMac(), proposals };
          const { reference } = options;
          const act = financeAct('payout.paid', options.by, payoutId);
          await asPerson(cli, session, act, (_by, by) =>
            enterTransfer(deps, { payoutId, reference, by }),
          );
          return payoutAnswer(await findPayout(pool, proposals, payoutId), wireTime);
        });
      },
    );
}

function addReturn(payout: Command, cli: Cli): void {
  command(
    payout,
    'return',
    'Propose to return what an approved payout holds, because the transfer is not made.',
  )
    .argument('<payout>', 'its id', idOf('payout'))
    .requiredOption('--note <text>', 'why', noteText)
    .requiredOption('--by <name>', 'who proposes it')
    .action(async (payoutId: string, options: { json?: boolean; note: string; by: string }) => {
      await cli.run(options, async (session) => {
        const proposals = await openProposals(session);
        const { note } = options;
        const act = { ...financeAct('payout.return', options.by, payoutId), reason: note };
        const row = await asPerson(cli, session, act, (_by, by) =>
          proposeReturn(proposals, { payoutId, note, by }),
        );
        return await proposalAnswer(session, proposals, { row });
      });
    });
}

function addList(payout: Command, cli: Cli): void {
  command(payout, 'list', 'Payouts that wait for another person’s approval, or for the transfer.')
    .option('--all', 'also those that ended')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; all?: boolean; limit: number }) => {
      await cli.run(options, async (session) => {
        const { all, limit } = options;
        const { pool, wireTime } = session;
        const proposals = await openProposals(session);
        const payouts = await listPayouts(pool, proposals, { open: all !== true, limit });
        return {
          json: { payouts: payouts.map(payoutJson) },
          text: table(
            [
              { title: 'PAYOUT' },
              { title: 'PROPOSED' },
              { title: 'VENDOR' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'REFERENCE' },
              { title: 'STATE' },
            ],
            payouts.map(({ row, content, amountCents, reference, state }) => [
              row.proposalId,
              wireTime.format(row.proposedAt),
              content.vid,
              formatMoney(amountCents),
              reference ?? '',
              state,
            ]),
            'no payouts',
          ),
        };
      });
    });
}

function payoutAnswer(payout: Payout, wireTime: WireTime): Answer {
  return { json: payoutJson(payout), text: payoutText(payout, wireTime) };
}

function payoutJson({ row, content, amountCents, reference, postedAt, state }: Payout) {
  return {
    payout: row.proposalId,
    vid: content.vid,
    amount: formatMoney(amountCents),
    bank_account: content.bankAccount,
    reference,
    note: row.note,
    evidence: content.evidence,
    state,
    proposed_by: row.proposedBy,
    proposed_at: row.proposedAt.toISOString(),
    decision: row.decision,
    decided_by: row.decidedBy,
    posted_at: postedAt?.toISOString() ?? null,
  };
}

function payoutText(payout: Payout, wireTime: WireTime): string {
  const { row, content, amountCents, reference, postedAt, state } = payout;
  return record([
    ['payout', row.proposalId],
    ['vendor', content.vid],
    ['amount', formatMoney(amountCents)],
    ['bank account', content.bankAccount],
    ['reference', reference ?? ''],
    ['note', row.note],
    ['evidence', content.evidence],
    ['posted', postedAt === null ? '' : wireTime.format(postedAt)],
    ['state', `${state}; proposed by ${row.proposedBy}`],
  ]);
}
