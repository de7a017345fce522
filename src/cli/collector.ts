import type { Command } from 'commander';
import { addCollector, changeCollector } from '../vendors/administer.ts';
import { listCollectors, listKeys } from '../vendors/store.ts';
import type { SignatureVersion } from '../vendors/vendor.ts';
import { command, displayName, requireSome, signerName } from './arguments.ts';
import { table } from './output.ts';
import type { Cli } from './cli.ts';
import {
  addRotateKeyCommand,
  keysOf,
  keysText,
  newKeyText,
  signatureOption,
} from './signer-keys.ts';

export function addCollectorCommands(program: Command, cli: Cli): void {
  const collector = program
    .command('collector')
    .description('Collectors, which report income collected for vendors.');
  command(collector, 'add', 'Add a collector. Prints its security key, once.')
    .argument('<collector>', 'collector ID', signerName)
    .requiredOption('--name <name>', 'name for people', displayName)
    .action(async (id: string, options: { json?: boolean; name: string }) => {
      await cli.run(options, async ({ pool, sealing }) => {
        const key = await addCollector(
          pool,
          { collector: id, name: options.name },
          await sealing(),
        );
        return {
          json: { collector: id, security_key: key },
          text: newKeyText('collector', id, key),
        };
      });
    });
  addList(collector, cli);
  addSet(collector, cli);
  addRotateKeyCommand(collector, cli, 'collector');
  addStatus(collector, cli, 'suspend', 'Refuse the collector’s reports.');
  addStatus(collector, cli, 'resume', 'Take a suspended collector’s reports again.');
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
        keys: keysOf(keys, row.collector),
        created_at: row.created_at.toISOString(),
      }));
      return {
        json: { collectors },
        text: table(
          [
            { title: 'COLLECTOR' },
            { title: 'NAME' },
            { title: 'STATUS' },
            { title: 'SIGNATURE' },
            { title: 'KEYS' },
          ],
          collectors.map((row) => [
            row.collector,
            row.name,
            row.status,
            row.signature,
            keysText(row.keys, (time) => wireTime.format(time)),
          ]),
          'no collectors',
        ),
      };
    });
  });
}

function addSet(collector: Command, cli: Cli): void {
  command(collector, 'set', 'Change settings of a collector.')
    .argument('<collector>', 'collector ID', signerName)
    .addOption(signatureOption())
    .action(async (id: string, options: { json?: boolean; signature?: SignatureVersion }) => {
      requireSome(options, ['signature']);
      await cli.run(options, async ({ pool }) => {
        await changeCollector(pool, id, { signature: options.signature });
        return { json: { collector: id, changed: true }, text: `Collector ${id} is changed.` };
      });
    });
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
