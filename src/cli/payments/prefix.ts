import type { Command } from 'commander';
import { dropPrefix, loadPrefixes, setPrefix } from '../../payments/billers/administer.ts';
import { KENYAN_PREFIXES } from '../../payments/billers/kenyan-prefixes.ts';
import { listPrefixes } from '../../payments/billers/store.ts';
import { code, command, threeDigits } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table, withWireNames } from '../output.ts';

export function addPrefixCommands(program: Command, cli: Cli): void {
  const prefix = program
    .command('prefix')
    .description('Phone prefixes (three digits without the leading 0) and their airtime billers.');
  addList(prefix, cli);
  addSet(prefix, cli);
  addRemove(prefix, cli);
  addLoadKenya(prefix, cli);
}

function addList(prefix: Command, cli: Cli): void {
  command(prefix, 'list', 'All prefixes.').action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const prefixes = await listPrefixes(pool);
      return {
        json: { prefixes: prefixes.map(withWireNames) },
        text: table(
          [{ title: 'PREFIX' }, { title: 'BILLER' }],
          prefixes.map((row) => [row.prefix, row.billerCode]),
          'no prefixes',
        ),
      };
    });
  });
}

function addSet(prefix: Command, cli: Cli): void {
  command(prefix, 'set', 'Set the biller of a prefix.')
    .argument('<prefix>', 'three digits', threeDigits)
    .argument('<biller>', 'biller code', code)
    .action(async (digits: string, billerCode: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        await setPrefix(pool, digits, billerCode);
        return {
          json: { prefix: digits, biller_code: billerCode },
          text: `Prefix ${digits} is served by ${billerCode}.`,
        };
      });
    });
}

function addRemove(prefix: Command, cli: Cli): void {
  command(prefix, 'remove', 'Remove a prefix.')
    .argument('<prefix>', 'three digits', threeDigits)
    .action(async (digits: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        await dropPrefix(pool, digits);
        return { json: { prefix: digits, removed: true }, text: `Prefix ${digits} is removed.` };
      });
    });
}

function addLoadKenya(prefix: Command, cli: Cli): void {
  command(
    prefix,
    'load-kenya',
    'Set the prefixes of the Kenyan numbering plan for the billers safaricom, airtel, telkom and jtl, if they exist.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const { loaded, missingBillers } = await loadPrefixes(pool, KENYAN_PREFIXES);
      const missing =
        missingBillers.length === 0 ? '' : ` Unknown billers: ${missingBillers.join(', ')}.`;
      return {
        json: { loaded, missing_billers: missingBillers },
        text: `${loaded} prefixes are set.${missing}`,
      };
    });
  });
}
