import type { Command } from 'commander';
import { completeChains, readChainEnd } from '../ledger/chain.ts';
import { checkLedger } from '../ledger/check.ts';
import type { CheckReport } from '../ledger/check.ts';
import { listVendors } from '../vendors/store.ts';
import { command } from './arguments.ts';
import type { Cli } from './cli.ts';
import { EXIT } from './exit.ts';
import { table } from './output.ts';
import { addStatement } from './statement.ts';

export function addLedgerCommands(program: Command, cli: Cli): void {
  const ledger = program.command('ledger').description('The books.');
  addCheck(ledger, cli);
  addStatement(ledger, cli);
  addChain(ledger, cli);
}

/** Most violations in the table; `--json` has them all. */
const MOST_SHOWN = 100;

function addCheck(ledger: Command, cli: Cli): void {
  command(
    ledger,
    'check',
    'Prove every invariant of the books, also beside running payments. Exit code 1 when one does not hold.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const report = await checkLedger(pool, (name) => cli.progress.show(`checking ${name}`));
      const vids = new Map((await listVendors(pool)).map((row) => [row.vendor_id, row.vid]));
      const found = report.violations.map((violation) => ({
        invariant: violation.invariant,
        vendor_id: violation.vendorId,
        vid: vids.get(violation.vendorId) ?? null,
        detail: violation.detail,
      }));
      return {
        json: {
          violations: found.length,
          found,
          invariants: report.invariants.map(({ name }) => name),
          counted: report.counted,
        },
        text: checkText(report, found),
        exitCode: found.length === 0 ? EXIT.done : EXIT.failed,
      };
    });
  });
}

function checkText(
  report: CheckReport,
  found: readonly { invariant: string; vendor_id: number; vid: string | null; detail: string }[],
): string {
  const counts = Object.entries(report.counted).map(([name, count]) => `${count} ${name}`);
  const invariants = table(
    [{ title: 'INVARIANT' }, { title: 'VIOLATIONS', align: 'right' }, { title: 'WHAT IT SAYS' }],
    report.invariants.map(({ name, says }) => [
      name,
      String(found.filter((violation) => violation.invariant === name).length),
      says,
    ]),
  );
  const summary = `${counts.join(', ')}\n`;
  if (found.length === 0) return `${invariants}\n${summary}The books hold: no violations.\n`;
  const list = table(
    [{ title: 'VENDOR' }, { title: 'INVARIANT' }, { title: 'DETAIL' }],
    found
      .slice(0, MOST_SHOWN)
      .map(({ vid, vendor_id: id, invariant, detail }) => [vid ?? `#${id}`, invariant, detail]),
  );
  const rest =
    found.length > MOST_SHOWN ? `… and ${found.length - MOST_SHOWN} more (see --json)\n` : '';
  return `${invariants}\n${summary}\n${list}${rest}\nTHE BOOKS DO NOT HOLD: ${found.length} violations.\n`;
}

function addChain(ledger: Command, cli: Cli): void {
  command(
    ledger,
    'chain',
    'Extend the hash chains now, over all transfers that can no longer be added to.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, wireTime }) => {
      const blocks = await completeChains(pool, {
        onBlocks: (made) => cli.progress.show(`${made} blocks`),
      });
      const end = await readChainEnd(pool);
      return {
        json: { blocks, ended_at: end?.toISOString() ?? null },
        text: `${blocks} blocks added. ${
          end === null
            ? 'There are no transfers yet.'
            : `The chains reach to ${wireTime.format(end)}.`
        }`,
      };
    });
  });
}
