import type { Command } from 'commander';
import { endDemoData, readDemoData } from '../../demo-data.ts';
import type { DemoData } from '../../demo-data.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { command, displayName, noteText } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { bullets, record, table, withWireNames } from '../output.ts';
import type { Answer } from '../output.ts';
import { noted } from '../parties/noted.ts';
import type { Session } from '../session.ts';

/** Cleans a production database on which `npm start` was run by mistake, before the sandbox refused that. */
export function addDemoDataCommands(program: Command, cli: Cli): void {
  const demo = program
    .command('demo-data')
    .description('What a sandbox of an earlier version put into production’s database by mistake.');
  command(demo, 'list', 'Show it, and what to do about it.').action(
    async (options: { json?: boolean }) => {
      await cli.run(options, async (session) => {
        const { masterKeys } = await session.sealing();
        return answerOf(await readDemoData(session.pool, masterKeys), session);
      });
    },
  );
  command(
    demo,
    'end',
    'End the public keys, suspend the demo vendors and the demo collector, disable people with the public password, and take billers OFFLINE that the simulators would answer for. What the demo collector credited stays until people correct it.',
  )
    .requiredOption('--by <name>', 'who does it', displayName)
    .requiredOption('--reason <text>', 'why', noteText)
    .action(async (options: { json?: boolean; by: string; reason: string }) => {
      await cli.run(options, async (session) => {
        const { pool } = session;
        const { masterKeys } = await session.sealing();
        const deps = { pool, masterKeys, ledgerMac: await session.ledgerMac() };
        const reason = `${options.by}: ${options.reason}`;
        const left = await noted(
          pool,
          { action: 'demo data: end', target: null, reason },
          async () => await endDemoData(deps, new Date()),
        );
        return answerOf(left, session);
      });
    });
}

function answerOf(found: DemoData, { wireTime }: Session): Answer {
  const { credited, ...rest } = found;
  const state = record([
    ['vendors and collectors', names(found.signers)],
    ['public keys', names(found.publicKeys)],
    ['people with the public password', names(found.people)],
    ['operators at a simulator', names(found.operators)],
    ['their billers', names(found.billers)],
    ['emulated sources of receipts', names(found.sources)],
    ['ended at', found.endedAt === null ? 'not yet' : wireTime.format(found.endedAt)],
  ]);
  const money = table(
    [
      { title: 'VENDOR' },
      { title: 'CREDITED', align: 'right' },
      { title: 'TIMES', align: 'right' },
      { title: 'FIRST' },
      { title: 'LAST' },
    ],
    credited.map(({ vid, cents, count, firstAt, lastAt }) => [
      vid,
      formatMoney(cents),
      String(count),
      wireTime.format(firstAt),
      wireTime.format(lastAt),
    ]),
    'The demo collector credited no other vendor.',
  );
  return {
    json: { ...withWireNames(rest), credited: credited.map(creditedRow) },
    text: `${state}\n${money}\n${bullets(stepsFor(found))}`,
  };
}

function names(list: readonly string[]): string {
  return list.join(', ') || 'none';
}

function creditedRow({ vid, count, cents, firstAt, lastAt }: DemoData['credited'][number]) {
  const amount = formatMoney(cents);
  return { vid, count: Number(count), amount, first_at: firstAt, last_at: lastAt };
}

/** Lists the remaining steps in order. */
function stepsFor(found: DemoData): string[] {
  const { publicKeys, people, operators, billers, sources, credited, endedAt } = found;
  const steps: string[] = [];
  if (endedAt === null || publicKeys.length > 0 || people.length > 0) {
    steps.push('Stop the sandbox. Then: malipo demo-data end --by NAME --reason TEXT');
  }
  for (const operator of operators) {
    steps.push(
      `${operator}: if it is yours, give it its address and key again (operator set ${operator} --base-url …, operator set-key ${operator}), then set its billers ONLINE. Payments that ended while the simulator answered were not paid: compare them with its statement (reconcile).`,
    );
  }
  if (operators.length > 0)
    steps.push(`Leave billers OFFLINE that are not yours: ${billers.join(', ')}`);
  for (const source of sources)
    steps.push(`${source}: receipts source set ${source} --status suspended`);
  for (const { vid, cents } of credited) {
    steps.push(
      `${vid}: nobody has received the ${formatMoney(cents)}. Take it back from the collected income with a payout whose evidence says so (vendor payout), before the vendor funds it. If it is in the float or spent, suspend the vendor, and agree with it how it pays the amount.`,
    );
  }
  return steps.length === 0 ? ['Nothing is left to do.'] : steps;
}
