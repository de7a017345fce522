import { Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { findOperator, listBillers, listOperators } from '../../payments/billers/store.ts';
import { PROTOCOL_NAMES, secretFormOf } from '../../connectors/registry.ts';
import {
  OPERATOR,
  OPERATOR_KEY,
  operatorChangeJson,
  requireUsableWith,
  sealedFor,
} from '../../payments/settings/operators.ts';
import { sealSecret } from '../../payments/settings/sealed.ts';
import { newSharedSecret } from '../../parties/keys.ts';
import { listKeys } from '../../parties/store.ts';
import {
  code,
  command,
  displayName,
  durationSeconds,
  requireSome,
  wholeNumber,
  wideOption,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table, withWireNames } from '../output.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { addFloats } from './operator-float.ts';
import { readFirstLine, readSetting, readSettingsFile } from './operator-input.ts';
import { SAME_ACCOUNT, tellOpen, whoIsAsked } from './operator-open.ts';
import { addProtocols } from './operator-protocols.ts';
import { addProducts } from './operator-products.ts';
import { addTest } from './operator-test.ts';

export function addOperatorCommands(program: Command, cli: Cli): void {
  const operator = program
    .command('operator')
    .description('Operators: the companies that execute payments for billers.');
  addList(operator, cli);
  addSet(operator, cli);
  addSetKey(operator, cli);
  addFloats(operator, cli);
  addProtocols(operator, cli);
  addTest(operator, cli);
  addProducts(operator, cli);
}

function addList(operator: Command, cli: Cli): void {
  command(operator, 'list', 'All operators.')
    .addOption(wideOption())
    .action(async (options: { json?: boolean; wide?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        const withKey = new Set((await listKeys(pool, ['operator'])).map((row) => row.holder));
        const billers = await listBillers(pool);
        const operators = (await listOperators(pool)).map((row) => ({
          ...row,
          hasKey: withKey.has(row.operatorCode),
          billers: billers
            .filter((biller) => biller.operatorCode === row.operatorCode)
            .map((biller) => biller.billerCode),
        }));
        return {
          json: { operators: operators.map(withWireNames) },
          text: table(
            [
              { title: 'CODE' },
              { title: 'NAME', wide: true },
              { title: 'CONNECTOR', wide: true },
              { title: 'BASE URL' },
              { title: 'CONCURRENT', align: 'right' },
              { title: 'PER SECOND', align: 'right' },
              { title: 'KEY' },
              { title: 'SETTINGS', wide: true },
              { title: 'BILLERS', wide: true },
            ],
            operators.map((row) => [
              row.operatorCode,
              row.name,
              row.connector,
              row.baseUrl,
              String(row.maxConcurrency),
              row.maxPerSecond === null ? 'no limit' : String(row.maxPerSecond),
              row.hasKey ? 'set' : 'missing',
              Object.entries(row.settings)
                .map(
                  ([name, value]) =>
                    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
                )
                .join(' '),
              row.billers.join(' '),
            ]),
            'no operators',
            options.wide,
          ),
        };
      });
    });
}

interface SetOptions extends SetterOptions {
  readonly json?: boolean;
  readonly name?: string;
  readonly connector?: string;
  readonly baseUrl?: string;
  readonly setting: Readonly<Record<string, unknown>>;
  readonly settingsFile?: string;
  readonly maxConcurrency?: number;
  /** false: `--no-max-per-second`. */
  readonly maxPerSecond?: number | false;
  readonly sameAccount?: boolean;
}

function addSet(operator: Command, cli: Cli): void {
  const set = command(operator, 'set', 'Add an operator, or change the settings that are given.')
    .argument('<code>', 'operator code', code)
    .option('--name <name>', 'name for people', displayName)
    .addOption(new Option('--connector <protocol>', 'its protocol').choices(PROTOCOL_NAMES))
    .option('--base-url <url>', 'base URL of its API')
    .option(
      '--setting <name=value>',
      'a setting of the protocol, such as pay_timeout_ms=30000; name= removes it; may be repeated',
      readSetting,
      {},
    )
    .option(
      '--settings-file <file>',
      'a JSON file with settings that are more than one value, such as the billers of daraja-b2b',
    )
    .option('--max-concurrency <count>', 'maximum number of calls at once', wholeNumber(1, 10_000))
    .option(
      '--max-per-second <count>',
      'maximum number of instructions per second',
      wholeNumber(1, 100_000),
    )
    .option('--no-max-per-second', 'no limit on instructions per second')
    .option('--same-account', SAME_ACCOUNT);
  withSetter(set).action(async (operatorCode: string, options: SetOptions) => {
    const { setting: single, settingsFile, ...others } = options;
    const setting = { ...(await readSettingsFile(settingsFile)), ...single };
    requireSome({ ...others, ...(Object.keys(setting).length > 0 ? { setting } : {}) }, [
      'name',
      'connector',
      'baseUrl',
      'setting',
      'maxConcurrency',
      'maxPerSecond',
      'sameAccount',
    ]);
    await cli.run(options, async (session) => {
      const { name, connector, baseUrl, maxConcurrency, sameAccount } = options;
      const maxPerSecond = options.maxPerSecond === false ? null : options.maxPerSecond;
      const where = { name, connector, baseUrl, settings: setting, sameAccount };
      const change = operatorChangeJson({ ...where, maxConcurrency, maxPerSecond });
      const open = await tellOpen(session.pool, cli, operatorCode);
      const asked = { ...options, change, key: { operatorCode }, action: 'operator.set' };
      return await changeSetting(cli, session, { ...asked, setting: OPERATOR }, ({ isNew }) => ({
        json: { operator_code: operatorCode, added: isNew, open_instructions: open },
        text: isNew
          ? `Operator ${operatorCode} is added. Give it a key next: operator set-key ${operatorCode}`
          : `Operator ${operatorCode} is changed.${whoIsAsked(open, sameAccount)}`,
      }));
    });
  });
}

function addSetKey(operator: Command, cli: Cli): void {
  const set = command(
    operator,
    'set-key',
    'Set the secret shared with the operator. For http-json, a new one is created and printed once unless --key sets it.',
  )
    .argument('<code>', 'operator code', code)
    .option(
      '--key <secret>',
      'the secret to set, whsec_…; - reads it from standard input, which keeps it out of the process list',
    )
    .option(
      '--overlap <time>',
      'how long callbacks under the former key are still accepted: 90s, 30m, 24h, 7d (default 0)',
      durationSeconds,
    )
    .option('--same-account', SAME_ACCOUNT);
  withSetter(set).action(async (operatorCode: string, options: SetKeyOptions) => {
    await cli.run(options, async (session) => {
      const { pool } = session;
      const given = options.key === '-' ? await readFirstLine(cli.surroundings.stdin) : options.key;
      const row = await findOperator(pool, operatorCode);
      if (row === undefined) throw new PlainError(`Operator ${operatorCode} does not exist.`);
      const form = secretFormOf(row.connector);
      if (given === undefined && form?.inventsSecret === false) {
        throw new PlainError(
          `The secret of ${operatorCode} comes from the operator: give it with --key, in the form ${form.exampleSecret}`,
          { field: 'key' },
        );
      }
      const secret = given ?? newSharedSecret();
      await requireUsableWith(pool, operatorCode, secret);
      const open = await tellOpen(pool, cli, operatorCode);
      const { masterKeys } = await session.sealing();
      const change = {
        secret: sealSecret(secret, sealedFor(operatorCode), masterKeys),
        overlapSeconds: options.overlap ?? 0,
        sameAccount: options.sameAccount ?? false,
      };
      const generated = given === undefined;
      const made = generated ? newKeyText(operatorCode, secret) : undefined;
      const asked = { ...options, change, key: { operatorCode }, action: 'operator.set-key' };
      const answered = {
        setting: OPERATOR_KEY,
        shownOnce: generated ? { key: secret } : undefined,
      };
      return await changeSetting(cli, session, { ...asked, ...answered }, () => ({
        json: {
          ...{ operator_code: operatorCode, generated },
          ...(generated && { key: secret }),
          open_instructions: open,
        },
        text: `${made ?? `The key of ${operatorCode} is set.`}${whoIsAsked(open, options.sameAccount)}`,
      }));
    });
  });
}

interface SetKeyOptions extends SetterOptions {
  readonly json?: boolean;
  readonly key?: string;
  readonly overlap?: number;
  readonly sameAccount?: boolean;
}

function newKeyText(operator: string, key: string): string {
  const shown = record([
    ['operator', operator],
    ['key', key],
  ]);
  return `${shown}\nThis key is shown only once. Store it in a safe place now.`;
}
