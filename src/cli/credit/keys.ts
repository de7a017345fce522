import type { Command } from 'commander';
import { DAY_MS } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { verifyChains } from '../../credit/enquiries/read-chains.ts';
import type { ChainReport } from '../../credit/enquiries/read-chains.ts';
import { erasePayloads } from '../../credit/enquiries/retention.ts';
import { rotateKeys } from '../../credit/rotation/rotate.ts';
import { readVids } from '../../parties/read-vendors.ts';
import { command, hashes, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { openVault } from './vault.ts';
import { EXIT } from '../exit.ts';
import { table } from '../output.ts';

/** Commands that keep the registry trustworthy: the chain of enquiries, its keys, its retention. */
export function addCreditKeyCommands(credit: Command, cli: Cli): void {
  addVerifyChain(credit, cli);
  addRotateKeys(credit, cli);
  addEraseEnquiries(credit, cli);
}

function addVerifyChain(credit: Command, cli: Cli): void {
  command(
    credit,
    'verify-chain',
    'Verify, on the machine of the service, that no enquiry was altered or removed. Exits with 1 if one was.',
  )
    .option('--head <hash>', 'a head that was stored elsewhere; repeatable', hashes)
    .action(async (options: { json?: boolean; head?: readonly string[] }) => {
      await cli.run(options, async (session) => {
        const vault = await openVault(session);
        const report = await verifyChains(session.pool, vault, {
          heads: options.head,
          onProgress: (count) => cli.progress.show(`${count} enquiries`),
        });
        const vids = await readVids(session.pool);
        return {
          json: chainJson(report, vids),
          text: chainText(report, vids),
          exitCode: violationsOf(report) === 0 ? EXIT.done : EXIT.failed,
        };
      });
    });
}

function violationsOf(report: ChainReport): number {
  return report.violations.length + report.missingHeads.length;
}

function chainJson(report: ChainReport, vids: ReadonlyMap<number, string>): object {
  const headJson = ({ vendorId, sequence, hash }: ChainReport['heads'][number]): object => ({
    vid: vids.get(vendorId) ?? null,
    sequence: Number(sequence),
    hash,
  });
  return {
    violations: violationsOf(report),
    found: report.violations.map(({ vendorId, sequence, what }) => ({
      vid: vids.get(vendorId) ?? null,
      sequence: Number(sequence),
      what,
    })),
    enquiries: report.enquiries,
    erased: report.erased,
    heads: report.heads.map(headJson),
    kept_heads: report.keptHeads.map(headJson),
    missing_heads: report.missingHeads,
  };
}

function keptText(report: ChainReport, vids: ReadonlyMap<number, string>): string {
  const kept = report.keptHeads.map(
    ({ vendorId, sequence, hash }) =>
      `${hash} is enquiry ${sequence} of ${vids.get(vendorId) ?? `#${vendorId}`}’s chain.\n`,
  );
  const missing = report.missingHeads.map(
    (hash) => `${hash} is in no chain: its chain was rebuilt or truncated.\n`,
  );
  return [...kept, ...missing].join('');
}

function chainText(report: ChainReport, vids: ReadonlyMap<number, string>): string {
  const heads = table(
    [{ title: 'VENDOR' }, { title: 'ENQUIRIES', align: 'right' }, { title: 'HEAD' }],
    report.heads.map(({ vendorId, sequence, hash }) => [
      vids.get(vendorId) ?? `#${vendorId}`,
      String(sequence),
      hash,
    ]),
    'no enquiries',
  );
  const kept = keptText(report, vids);
  if (violationsOf(report) === 0) {
    return `${heads}\n${kept}The chains are intact: ${report.enquiries} enquiries, no violations.\n`;
  }
  const found = table(
    [{ title: 'VENDOR' }, { title: 'ENQUIRY', align: 'right' }, { title: 'WHAT' }],
    report.violations
      .slice(0, 100)
      .map(({ vendorId, sequence, what }) => [
        vids.get(vendorId) ?? `#${vendorId}`,
        String(sequence),
        what,
      ]),
  );
  return `${heads}\n${kept}${found}\nTHE CHAINS ARE NOT INTACT: ${violationsOf(report)} violations.\n`;
}

function addRotateKeys(credit: Command, cli: Cli): void {
  command(
    credit,
    'rotate-keys',
    'On the machine of the service, re-encrypt the registry with MASTER_KEY and CREDIT_INDEX_KEY, decrypting it with them or with …_PREVIOUS. Runs alongside the service, which needs the same keys first; can be repeated.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async (session) => {
      const { masterKeyPrevious, creditIndexKeyPrevious } = session.config;
      if (masterKeyPrevious === undefined && creditIndexKeyPrevious === undefined) {
        throw new PlainError(
          'Set MASTER_KEY or CREDIT_INDEX_KEY to the new key and its …_PREVIOUS to the former one.',
        );
      }
      const done = await rotateKeys(await session.ownerPool(), await openVault(session), (soFar) =>
        cli.progress.show(`${soFar.subjects} subjects, ${soFar.accounts} accounts`),
      );
      return {
        json: done,
        text: `Rewritten: ${done.subjects} subjects, ${done.accounts} accounts, ${done.disputes} disputes, ${done.enquiries} enquiries, ${done.answers} answers of bureaus, ${done.batches} open batches.\n`,
      };
    });
  });
}

function addEraseEnquiries(credit: Command, cli: Cli): void {
  command(
    credit,
    'erase-enquiries',
    'On the machine of the service, erase names, documents and answers of old enquiries now, before the service’s retention does. The record of each enquiry stays.',
  )
    .requiredOption('--older-than-days <days>', 'age in days', wholeNumber(1, 36_500))
    .action(async (options: { json?: boolean; olderThanDays: number }) => {
      await cli.run(options, async ({ ownerPool }) => {
        const before = new Date(Date.now() - options.olderThanDays * DAY_MS);
        const erased = await erasePayloads(await ownerPool(), before);
        return { json: { erased }, text: `${erased} enquiries erased.\n` };
      });
    });
}
