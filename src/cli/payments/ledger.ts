import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { completeChain, readChainEnd } from '../../payments/ledger/chain.ts';
import { ALSO_CHECKED } from '../../also-checked.ts';
import { checkLedger } from '../../payments/audit/check.ts';
import type { CheckReport } from '../../payments/audit/check.ts';
import { readVids } from '../../parties/read-vendors.ts';
import { SCHEMA } from '../../schema.ts';
import { command, hashes } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { table } from '../output.ts';

export function addLedgerCommands(program: Command, cli: Cli): void {
  const ledger = program.command('ledger').description('The ledger.');
  addCheck(ledger, cli);
  addChain(ledger, cli);
}

/** Maximum number of violations in the table; `--json` lists all. */
const MAX_SHOWN = 100;

interface CheckCommandOptions {
  readonly json?: boolean;
  readonly head?: readonly string[];
}

function addCheck(ledger: Command, cli: Cli): void {
  command(
    ledger,
    'check',
    'Check every invariant of the ledger, while payments continue. Exits with 1 when an invariant is violated.',
  )
    .option(
      '--head <hash>',
      'a head of the hash chain that was stored elsewhere; repeatable',
      hashes,
    )
    .action(async (options: CheckCommandOptions) => {
      await cli.run(options, async ({ pool, wireTime, findLedgerMac }) => {
        const report = await checkLedger(pool, {
          mac: await findLedgerMac(),
          heads: options.head,
          schema: SCHEMA,
          also: ALSO_CHECKED,
          onInvariant: (name) => cli.progress.show(`checking ${name}`),
        });
        const vids = await readVids(pool);
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
            head: report.head && {
              block: report.head.blockNumber,
              hash: report.head.hash,
              ended_at: report.head.endedAt.toISOString(),
            },
            kept_heads: report.keptHeads.map(({ hash, blockNumber }) => ({
              hash,
              block: blockNumber,
            })),
            authenticated: report.authenticated,
          },
          text: checkText(report, found, wireTime),
          exitCode: found.length === 0 ? EXIT.done : EXIT.failed,
        };
      });
    });
}

interface Found {
  readonly invariant: string;
  readonly vendor_id: number;
  readonly vid: string | null;
  readonly detail: string;
}

function checkText(report: CheckReport, found: readonly Found[], wireTime: WireTime): string {
  const counts = Object.entries(report.counted).map(([name, count]) => `${count} ${name}`);
  const invariants = table(
    [
      { title: 'INVARIANT' },
      { title: 'VIOLATIONS', align: 'right' },
      { title: 'DESCRIPTION', wrapped: true },
    ],
    report.invariants.map(({ name, says }) => [
      name,
      String(found.filter((violation) => violation.invariant === name).length),
      says,
    ]),
  );
  const summary = `${invariants}\n${counts.join(', ')}\n${headText(report, wireTime)}`;
  if (found.length === 0) return `${summary}The ledger is consistent: no violations.\n`;
  const list = table(
    [{ title: 'VENDOR' }, { title: 'INVARIANT' }, { title: 'DETAIL' }],
    found
      .slice(0, MAX_SHOWN)
      .map(({ vid, vendor_id: id, invariant, detail }) => [
        vid ?? (id === 0 ? '' : `#${id}`),
        invariant,
        detail,
      ]),
  );
  const rest =
    found.length > MAX_SHOWN ? `… and ${found.length - MAX_SHOWN} more (see --json)\n` : '';
  return `${summary}\n${list}${rest}\nTHE LEDGER IS INCONSISTENT: ${found.length} violations.\n`;
}

function headText({ head, keptHeads, authenticated }: CheckReport, wireTime: WireTime): string {
  const lines = keptHeads.map(({ hash, blockNumber, builtAt }) =>
    blockNumber === null || builtAt === null
      ? `${hash} is not in the chain.`
      : `${hash} is block ${blockNumber} of today’s chain, built ${wireTime.format(builtAt)}.`,
  );
  if (head !== null) {
    lines.push(
      `Head of the chain (store it elsewhere): ${head.hash} (block ${head.blockNumber}, to ${wireTime.format(head.endedAt)}).`,
    );
  }
  if (!authenticated) {
    lines.push(
      'Authentication codes were not checked: set MASTER_KEY to the value that the service uses.',
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

function addChain(ledger: Command, cli: Cli): void {
  command(
    ledger,
    'chain',
    'Extend the hash chain now, over everything that can no longer change.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, wireTime, ledgerMac }) => {
      const { blocks, head } = await completeChain(pool, await ledgerMac(), {
        onBlock: (made) => cli.progress.show(`${made} blocks`),
      });
      const end = await readChainEnd(pool);
      return {
        json: {
          blocks,
          ended_at: end?.toISOString() ?? null,
          head: head?.hash.toString('hex') ?? null,
        },
        text: `${blocks} blocks added. ${
          end === null
            ? 'There are no transfers yet.'
            : `The chain reaches to ${wireTime.format(end)}.`
        }`,
      };
    });
  });
}
