import { Option } from 'commander';
import type { Command } from 'commander';
import { changeCollector } from '../../parties/administer.ts';
import { newSecurityKey } from '../../parties/keys.ts';
import { COLLECTOR, collectorSealed } from '../../payments/settings/collectors.ts';
import { present } from '../../payments/settings/fields.ts';
import { sealSecret } from '../../payments/settings/sealed.ts';
import { listCollectors, listKeys } from '../../parties/store.ts';
import type { CollectorScope, SignatureVersion } from '../../parties/vendor.ts';
import { command, displayName, requireSome, signerName } from '../arguments.ts';
import { UsageError } from '../failure.ts';
import { table } from '../output.ts';
import type { Cli } from '../cli.ts';
import { changeSetting, withSetter } from './setting.ts';
import type { SetterOptions } from './setting.ts';
import {
  addRotateKeyCommand,
  keysOf,
  keysText,
  newKeyText,
  signatureOption,
} from './signer-keys.ts';

interface ScopeOptions extends SetterOptions {
  readonly json?: boolean;
  readonly vendor?: readonly string[];
  readonly allVendors?: true;
}

const vendorOption = (): Option =>
  new Option('--vendor <vid>', 'a vendor whose income it may report; repeatable').argParser(
    (vid, vids?: readonly string[]) => [...new Set([...(vids ?? []), signerName(vid)])],
  );
const allVendorsOption = (): Option =>
  new Option('--all-vendors', 'it may report income for every vendor').conflicts('vendor');

function scopeGiven({ vendor, allVendors }: ScopeOptions): CollectorScope | undefined {
  return allVendors === true ? 'all' : vendor;
}

export function addCollectorCommands(program: Command, cli: Cli): void {
  const collector = program
    .command('collector')
    .description('Collectors report the income they collect for vendors.');
  const add = command(collector, 'add', 'Add a collector. Its security key is printed once.')
    .argument('<collector>', 'collector ID', signerName)
    .requiredOption('--name <name>', 'name for people', displayName)
    .addOption(vendorOption())
    .addOption(allVendorsOption());
  withSetter(add).action(async (id: string, options: ScopeOptions & { name: string }) => {
    const scope = scopeGiven(options);
    if (scope === undefined) {
      throw new UsageError('--vendor VID (repeatable) or --all-vendors is required.');
    }
    await cli.run(options, async (session) => {
      const key = newSecurityKey();
      const secret = sealSecret(key, collectorSealed(id), (await session.sealing()).masterKeys);
      const change = { added: { name: options.name, secret }, scope };
      const asked = { ...options, change, key: { collector: id }, action: 'collector.add' };
      const shownOnce = { security_key: key };
      return await changeSetting(cli, session, { ...asked, setting: COLLECTOR, shownOnce }, () => ({
        json: { collector: id, security_key: key },
        text: newKeyText('collector', id, key),
      }));
    });
  });
  addList(collector, cli);
  addSet(collector, cli);
  addRotateKeyCommand(collector, cli);
  addStatus(collector, cli, 'suspend', 'Refuse the collector’s reports.');
  addStatus(collector, cli, 'resume', 'Accept a suspended collector’s reports again.');
}

function addList(collector: Command, cli: Cli): void {
  command(collector, 'list', 'All collectors.').action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, wireTime }) => {
      const keys = await listKeys(pool, ['collector']);
      const collectors = (await listCollectors(pool)).map((row) => ({
        collector: row.collector,
        name: row.name,
        status: row.status,
        signature: row.signature,
        all_vendors: row.allVendors,
        vendors: row.vids,
        keys: keysOf(keys, row.collector),
        created_at: row.createdAt.toISOString(),
      }));
      return {
        json: { collectors },
        text: table(
          [
            { title: 'COLLECTOR' },
            { title: 'NAME' },
            { title: 'STATUS' },
            { title: 'SIGNATURE' },
            { title: 'VENDORS' },
            { title: 'KEYS' },
          ],
          collectors.map((row) => [
            row.collector,
            row.name,
            row.status,
            row.signature,
            row.all_vendors ? 'all' : row.vendors.join(', '),
            keysText(row.keys, (time) => wireTime.format(time)),
          ]),
          'no collectors',
        ),
      };
    });
  });
}

function addSet(collector: Command, cli: Cli): void {
  const set = command(collector, 'set', 'Change settings of a collector. Other settings stay.')
    .argument('<collector>', 'collector ID', signerName)
    .addOption(signatureOption())
    .addOption(vendorOption())
    .addOption(allVendorsOption());
  withSetter(set).action(
    async (id: string, options: ScopeOptions & { signature?: SignatureVersion }) => {
      requireSome(options, ['signature', 'vendor', 'allVendors']);
      const { signature } = options;
      await cli.run(options, async (session) => {
        const change = present({ signature, scope: scopeGiven(options) });
        const asked = { ...options, change, key: { collector: id }, action: 'collector.set' };
        return await changeSetting(cli, session, { ...asked, setting: COLLECTOR }, () => ({
          json: { collector: id, changed: true },
          text: `Collector ${id} is changed.`,
        }));
      });
    },
  );
}

function addStatus(
  collector: Command,
  cli: Cli,
  verb: 'suspend' | 'resume',
  summary: string,
): void {
  const status = verb === 'suspend' ? 'suspended' : 'active';
  command(collector, verb, summary)
    .argument('<collector>', 'collector ID', signerName)
    .action(async (id: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        await changeCollector(pool, id, { status });
        return { json: { collector: id, status }, text: `Collector ${id} is ${status}.` };
      });
    });
}
