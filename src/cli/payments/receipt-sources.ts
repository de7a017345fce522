import { Option } from 'commander';
import type { Command } from 'commander';
import { readVids } from '../../parties/store.ts';
import { requireAccount, requireSource } from '../../payments/receipts/administer.ts';
import { present, settingsJson } from '../../payments/settings/fields.ts';
import { ACCOUNT, SOURCE, SOURCE_KEY, sourceSealed } from '../../payments/settings/money-in.ts';
import { sealSecret } from '../../payments/settings/sealed.ts';
import { checkTopUp, pushTopUp } from '../../payments/receipts/push.ts';
import type { PushRow } from '../../payments/receipts/pushes-store.ts';
import { openSource } from '../../payments/receipts/sources.ts';
import { SOURCE_KINDS } from '../../connectors/registry.ts';
import { listAccounts, listSources } from '../../payments/receipts/sources-store.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireActiveVendor } from '../parties/vendors.ts';
import type { OpenSource } from '../../payments/receipts/sources.ts';
import type { Session } from '../session.ts';
import { code, command, displayName, moneyAboveZero, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { readFirstLine } from '../ask-for.ts';
import { readSetting, readSettingsFile } from './source-input.ts';
import { table, withWireNames } from '../output.ts';
import { quietLog } from './quiet-log.ts';

export function addSourceCommands(receipts: Command, cli: Cli): void {
  const source = receipts
    .command('source')
    .description('Where receipts are reported: a short code at Safaricom, a bank account.');
  addList(source, cli);
  addSet(source, cli);
  addSetKey(source, cli);
  addRegister(source, cli);
  const account = receipts
    .command('account')
    .description('The account numbers that customers pay to, and their vendors.');
  addAccounts(account, cli);
  addPush(receipts, cli);
}

function addList(source: Command, cli: Cli): void {
  command(source, 'list', 'All sources.').action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const rows = await listSources(pool);
      return {
        json: { sources: rows.map(withWireNames) },
        text: table(
          [
            { title: 'CODE' },
            { title: 'NAME' },
            { title: 'KIND' },
            { title: 'COLLECTOR' },
            { title: 'STATUS' },
            { title: 'PULLED UNTIL' },
          ],
          rows.map((row) => [
            row.sourceCode,
            row.name,
            row.kind,
            row.collector,
            row.status,
            row.pulledUntil?.toISOString() ?? '',
          ]),
          'no sources',
        ),
      };
    });
  });
}

interface SetOptions extends SetterOptions {
  readonly json?: boolean;
  readonly name?: string;
  readonly kind?: string;
  readonly collector?: string;
  readonly status?: 'active' | 'suspended';
  readonly setting: Readonly<Record<string, unknown>>;
  readonly settingsFile?: string;
}

function addSet(source: Command, cli: Cli): void {
  const set = command(source, 'set <code>', 'Add a source, or change the settings that are given.')
    .option('--name <name>', 'name for people', displayName)
    .addOption(new Option('--kind <kind>', 'of a new source').choices(SOURCE_KINDS))
    .option('--collector <collector>', 'in whose name its receipts are collected', signerName)
    .addOption(
      new Option('--status <status>', 'whether it is used').choices(['active', 'suspended']),
    )
    .option(
      '--setting <name=value>',
      'a setting of its kind; name= removes it; may be repeated',
      readSetting,
      {},
    )
    .option('--settings-file <file>', 'a JSON file with settings, such as addresses');
  withSetter(set).action(async (name: string, options: SetOptions) => {
    await cli.run(options, async (session) => {
      const { setting, settingsFile, kind, collector, status } = options;
      const settings = { ...(await readSettingsFile(settingsFile)), ...setting };
      const terms = present({ name: options.name, kind, collector, status });
      const sourceCode = code(name);
      const asked = {
        ...{ ...options, setting: SOURCE, change: { ...terms, ...settingsJson(settings) } },
        ...{ key: { sourceCode }, action: 'receipts.source.set' },
      };
      return await changeSetting(cli, session, asked, async ({ isNew: added }) => ({
        json: { ...withWireNames(await requireSource(session.pool, sourceCode)), added },
        text: `Source ${sourceCode} is ${added ? 'added' : 'changed'}.`,
      }));
    });
  });
}

function addSetKey(source: Command, cli: Cli): void {
  const set = command(source, 'set-key <code>', 'Set the secret from the provider.').requiredOption(
    '--key <secret>',
    'JSON with consumer_key, consumer_secret and, for STK push, passkey; - reads it from standard input',
  );
  withSetter(set).action(
    async (name: string, options: SetterOptions & { json?: boolean; key: string }) => {
      await cli.run(options, async (session) => {
        const sourceCode = code(name);
        const read =
          options.key === '-' ? await readFirstLine(cli.surroundings.stdin) : options.key;
        const { masterKeys } = await session.sealing();
        const asked = {
          ...{ ...options, setting: SOURCE_KEY, key: { sourceCode } },
          change: { secret: sealSecret(read, sourceSealed(sourceCode), masterKeys) },
          action: 'receipts.source.set-key',
        };
        return await changeSetting(cli, session, asked, () => ({
          json: { source_code: sourceCode },
          text: `The key of ${sourceCode} is set.`,
        }));
      });
    },
  );
}

function addRegister(source: Command, cli: Cli): void {
  command(
    source,
    'register <code>',
    'Register the pull and our URLs for confirmation and validation with Safaricom.',
  )
    .option('--show', 'only show the URLs')
    .action(async (given: string, options: { json?: boolean; show?: boolean }) => {
      await cli.run(options, async ({ pool, sealing, config }) => {
        const row = await requireSource(pool, code(given));
        const { masterKeys } = await sealing();
        const callbackBase = `${config.publicUrl}/receipts`;
        const open = await openSource({ pool, masterKeys, callbackBase, log: quietLog }, row);
        if (open === undefined) throw new PlainError(`Source ${row.sourceCode} has no key yet.`);
        const { provider } = open;
        const lines = [
          `confirmation: ${provider.urls.confirmation}`,
          `validation: ${provider.urls.validation}`,
        ];
        let exitCode = 0;
        if (options.show !== true) {
          const { signal } = new AbortController();
          const urls = await provider.register(signal);
          const pull = await provider.registerPull?.(signal);
          if (!urls.isDone || pull?.isDone === false) exitCode = 1;
          lines.push(`${urls.isDone ? 'registered' : 'NOT registered'}: ${urls.message}`);
          if (pull !== undefined) {
            lines.push(
              `${pull.isDone ? 'pull registered' : 'pull NOT registered'}: ${pull.message}`,
            );
          }
        }
        await provider.close();
        return {
          json: { ...provider.urls, done: exitCode === 0, lines },
          text: lines.join('\n'),
          exitCode,
        };
      });
    });
}

interface PushOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly phone: string;
  readonly amount: bigint;
}

/** Runs `work` with the source open. */
async function opened<Result>(
  { pool, sealing, config }: Session,
  given: string,
  work: (source: OpenSource) => Promise<Result>,
): Promise<Result> {
  const row = await requireSource(pool, code(given));
  const { masterKeys } = await sealing();
  const callbackBase = `${config.publicUrl}/receipts`;
  const source = await openSource({ pool, masterKeys, callbackBase, log: quietLog }, row);
  if (source === undefined) throw new PlainError(`Source ${row.sourceCode} has no key yet.`);
  try {
    return await work(source);
  } finally {
    await source.provider.close();
  }
}

function shownPush(row: PushRow) {
  return {
    json: { push: row.pushId, state: row.state, reason: row.reason, account: row.account },
    text: `${row.pushId}: ${row.state}${row.reason === null ? '' : ` (${row.reason})`}`,
  };
}

function addPush(receipts: Command, cli: Cli): void {
  command(receipts, 'push <source>', 'Send a phone a prompt to pay to a vendor’s account number.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .requiredOption('--phone <number>', '12 digits; its owner confirms on the phone')
    .requiredOption('--amount <amount>', 'whole shillings', moneyAboveZero)
    .action(async (given: string, options: PushOptions) => {
      await cli.run(options, async (session) => {
        const { vendorId } = await requireActiveVendor(session.pool, options.vid);
        const { phone, amount: amountCents } = options;
        const topUp = { vendorId, phone, amountCents };
        return shownPush(
          await opened(
            session,
            given,
            async (source) => await pushTopUp(session.pool, source, topUp),
          ),
        );
      });
    });
  command(
    receipts,
    'push-status <source> <push>',
    'Ask the provider for the result of a prompt.',
  ).action(async (given: string, pushId: string, options: { json?: boolean }) => {
    await cli.run(options, async (session) =>
      shownPush(
        await opened(
          session,
          given,
          async (source) => await checkTopUp(session.pool, source, pushId),
        ),
      ),
    );
  });
}

interface AccountOptions extends SetterOptions {
  readonly json?: boolean;
}

function addAccounts(account: Command, cli: Cli): void {
  command(account, 'list <source>', 'The account numbers of a source.').action(
    async (given: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { sourceCode } = await requireSource(pool, code(given));
        const names = await readVids(pool);
        const rows = (await listAccounts(pool, sourceCode)).map((row) => ({
          account: row.account,
          vid: names.get(row.vendorId) ?? String(row.vendorId),
          addedBy: row.addedBy,
          addedAt: row.addedAt,
        }));
        return {
          json: { accounts: rows.map(withWireNames) },
          text: table(
            [{ title: 'ACCOUNT' }, { title: 'VENDOR' }, { title: 'ADDED' }, { title: 'BY' }],
            rows.map((row) => [row.account, row.vid, wireTime.format(row.addedAt), row.addedBy]),
            'no accounts',
          ),
        };
      });
    },
  );
  const add = command(account, 'add <source> <account>', 'Give a vendor an account number.');
  withSetter(add.requiredOption('--vid <vid>', 'vendor ID', signerName), true).action(
    async (name: string, number: string, options: AccountOptions & { vid: string }) => {
      const { vid } = options;
      const about = { name, number, vid, action: 'receipts.account.add' };
      await setAccount(
        cli,
        { ...options, ...about },
        (key) => `Money paid to account ${key.account} of ${key.sourceCode} is credited to ${vid}.`,
      );
    },
  );
  const remove = command(
    account,
    'remove <source> <account>',
    'Take an account number out of use.',
  );
  withSetter(remove, true).action(async (name: string, number: string, options: AccountOptions) => {
    const about = { name, number, vid: null, action: 'receipts.account.remove' };
    await setAccount(
      cli,
      { ...options, ...about },
      (key) => `Account ${key.account} of ${key.sourceCode} is not in use any more.`,
    );
  });
}

async function setAccount(
  cli: Cli,
  asked: AccountOptions & {
    readonly name: string;
    readonly number: string;
    readonly vid: string | null;
    readonly action: string;
  },
  textOf: (key: { readonly sourceCode: string; readonly account: string }) => string,
): Promise<void> {
  await cli.run(asked, async (session) => {
    const { name, number, vid } = asked;
    const key = { sourceCode: code(name), account: requireAccount(number) };
    const setting = { setting: ACCOUNT, key, change: { vid } };
    return await changeSetting(cli, session, { ...asked, ...setting }, () => ({
      json: {
        ...{ source_code: key.sourceCode, account: key.account },
        ...(vid !== null && { vid }),
      },
      text: textOf(key),
    }));
  });
}
