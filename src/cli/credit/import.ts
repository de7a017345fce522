import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { parseDay } from '../../platform/base/days.ts';
import { importFile } from '../../credit/importing/import.ts';
import type { ImportProgress, ImportResult } from '../../credit/importing/import.ts';
import { TEMPLATES } from '../../credit/importing/template.ts';
import type { TemplateName } from '../../credit/importing/template.ts';
import { AMOUNT_UNITS } from '../../credit/registry/account.ts';
import type { AmountUnit } from '../../credit/registry/account.ts';
import { SECTORS } from '../../parties/vendor.ts';
import type { Sector } from '../../parties/vendor.ts';
import { command, displayName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { openVault } from './vault.ts';
import { EXIT } from '../exit.ts';
import { asPerson } from '../parties/as-person.ts';
import { table } from '../output.ts';
import type { Answer } from '../output.ts';

interface ImportArguments {
  readonly json?: boolean;
  readonly template: TemplateName;
  readonly lender: string;
  readonly sector: Sector;
  readonly asOf: string;
  readonly amounts?: AmountUnit;
  readonly correct?: boolean;
  readonly dryRun?: boolean;
  readonly by: string;
}

/** Maximum number of findings in the table; the report next to the file and `--json` list all. */
const MAX_SHOWN = 50;

export function addImportCommand(credit: Command, cli: Cli): void {
  command(
    credit,
    'import <file>',
    'Import a lender’s file, on the machine of the service. No second person has to approve it, unlike in the console. Lines with errors go into a report next to the file, and the others are imported. Exits with 1 if a line has an error. A repeat changes nothing, and an interrupted import continues where it stopped.',
  )
    .addOption(
      new Option('--template <template>', 'columns of the file')
        .choices(Object.keys(TEMPLATES))
        .makeOptionMandatory(),
    )
    .requiredOption('--lender <code>', 'who submits it', lenderCode)
    .addOption(
      new Option('--sector <sector>', 'the lender’s sector').choices(SECTORS).makeOptionMandatory(),
    )
    .requiredOption('--as-of <date>', 'as-of date of the data, YYYY-MM-DD', realDay)
    .addOption(amountsOption())
    .option('--correct', 'replace what was submitted before for the same accounts and day')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--by <name>', 'who imports it, for the record', displayName, 'command line')
    .action(async (file: string, options: ImportArguments) => {
      await cli.run(options, async (session) => {
        const { template, lender, sector, asOf, amounts, by } = options;
        const [corrects, dryRun] = [options.correct === true, options.dryRun === true];
        const importBy = async (name: string): Promise<ImportResult> =>
          await importFile({
            ...{ pool: session.pool, vault: await openVault(session), clock: systemClock },
            wireTime: session.wireTime,
            ...{ file, template, lender, sector, asOf, amounts, corrects, dryRun, by: name },
            onProgress: (progress) => cli.progress.show(progressText(progress)),
          });
        const act = {
          by,
          permission: 'credit.act',
          action: 'credit.import',
          target: lender,
        } as const;
        // A dry run changes nothing.
        const result = dryRun ? await importBy(by) : await asPerson(cli, session, act, importBy);
        return answerOf(result, dryRun);
      });
    });
}

/** Only needed for a file in which no amount has a decimal point. */
function amountsOption(): Option {
  return new Option(
    '--amounts <unit>',
    'unit of the amounts; required if none has a decimal point and the lender’s setting does not say it',
  ).choices(AMOUNT_UNITS);
}

function lenderCode(text: string): string {
  if (!/^[A-Za-z0-9_.-]{1,32}$/.test(text)) {
    throw new InvalidArgumentError(
      'It must be 1 to 32 letters, digits, dots, hyphens or underscores.',
    );
  }
  return text;
}

/** A parser of a day of the calendar. */
function realDay(text: string): string {
  if (parseDay(text) === undefined) {
    throw new InvalidArgumentError('It must be a valid date, such as 2026-10-31.');
  }
  return text;
}

function progressText({ records, bytes, totalBytes, findings }: ImportProgress): string {
  const percent = totalBytes === 0 ? 100 : Math.floor((bytes / totalBytes) * 100);
  return `${percent} %  ${records} records  ${findings} findings`;
}

function answerOf(result: ImportResult, isDryRun: boolean): Answer {
  const { counts, findings, reportFile } = result;
  const { rejected } = counts;
  const json = {
    import_id: isDryRun ? null : result.importId,
    dry_run: isDryRun,
    amounts: result.amounts,
    records: counts.records,
    accounts_added: counts.accountsAdded,
    states_added: counts.statesAdded,
    corrected: counts.corrected,
    unchanged: counts.unchanged,
    rejected,
    resumed_after: result.resumedAfter,
    report: reportFile,
    findings,
  };
  const summary = [
    `${counts.records} records: ${counts.statesAdded} states of accounts added (${counts.accountsAdded} accounts new), ${counts.corrected} corrected, ${counts.unchanged} unchanged, ${rejected} rejected.`,
    ...(result.resumedAfter > 0
      ? [`Continued after record ${result.resumedAfter}, where an earlier run stopped.`]
      : []),
    ...(isDryRun ? ['This was a dry run: nothing was changed.'] : []),
  ].join('\n');
  if (findings.length === 0) return { json, text: `${summary}\n` };
  const shown = table(
    [{ title: 'LINE', align: 'right' }, { title: 'FIELD' }, { title: 'RULE' }, { title: 'TEXT' }],
    findings
      .slice(0, MAX_SHOWN)
      .map(({ line, field, rule, text }) => [String(line), field, rule, text]),
  );
  return {
    json,
    text: `${shown}\n${summary}\n${findings.length} findings, all in ${reportFile}. ${rejected === 0 ? 'All lines were imported: ask the lender about these.' : 'Fix the rejected lines and import the file again.'}\n`,
    ...(rejected === 0 ? {} : { exitCode: EXIT.failed }),
  };
}
