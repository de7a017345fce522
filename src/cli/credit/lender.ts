import { Option } from 'commander';
import type { Command } from 'commander';
import { AMOUNT_UNITS } from '../../credit/registry/account.ts';
import type { AmountUnit } from '../../credit/registry/account.ts';
import { findLender, setAmountUnit } from '../../credit/registry/lenders-store.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { command, displayName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { asPerson } from '../parties/as-person.ts';
import { lenderCode } from './import.ts';

interface LenderOptions {
  readonly json?: boolean;
  readonly amounts?: AmountUnit | 'unset';
  readonly by: string;
}

const UNIT = { permission: 'credit.act', action: 'credit.lender.amounts' } as const;

export function addLenderCommand(credit: Command, cli: Cli): void {
  command(credit, 'lender', 'A lender’s sector, and the unit of its amounts.')
    .argument('<lender>', 'code of the lender', lenderCode)
    .addOption(
      new Option(
        '--amounts <unit>',
        'unit of the amounts in its files from now on; unset: each file has to say it',
      ).choices([...AMOUNT_UNITS, 'unset']),
    )
    .option('--by <name>', 'who sets the unit', displayName, 'command line')
    .action(async (lender: string, options: LenderOptions) => {
      await cli.run(options, async (session) => {
        const { pool } = session;
        const { amounts: unit, by } = options;
        if (unit !== undefined) {
          await asPerson(cli, session, { ...UNIT, by, target: lender }, async () => {
            await setAmountUnit(pool, lender, unit === 'unset' ? null : unit);
          });
        }
        const found = await findLender(pool, lender);
        if (found === undefined) {
          throw new PlainError(`Lender ${lender} has not submitted a file yet.`);
        }
        const { sector, amounts } = found;
        return {
          json: { lender, sector, amounts },
          text: `${lender}: sector ${sector}, amounts ${amounts === null ? 'as each file says' : `in ${amounts}`}.\n`,
        };
      });
    });
}
