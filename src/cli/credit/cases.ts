import { Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { closeCase, listCases } from '../../credit/registry/cases-store.ts';
import {
  STATEMENT_WORDS,
  closeDispute,
  openDispute,
} from '../../credit/registry/disputes-store.ts';
import type { DisputeOutcome } from '../../credit/registry/disputes-store.ts';
import { command, displayName, like, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { crnNumber } from './subject.ts';
import { openVault } from './vault.ts';
import { table } from '../output.ts';

const id = like({ pattern: '^[0-9a-f-]{36}$', form: 'an id as it was shown' });

/** Decisions for people: cases of matching, and disputes of subjects. */
export function addCaseCommands(credit: Command, cli: Cli): void {
  addCases(credit, cli);
  addDisputes(credit, cli);
}

function addCases(credit: Command, cli: Cli): void {
  const cases = credit.command('case').description('Documents that do not belong to one person.');
  command(cases, 'list', 'Open cases, oldest first.')
    .option('--closed', 'closed cases, with their findings')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .option('--after <case>', 'the page after this case', id)
    .action(
      async (options: { json?: boolean; closed?: boolean; limit: number; after?: string }) => {
        await cli.run(options, async ({ pool, wireTime }) => {
          const search = { open: options.closed !== true, ...options };
          const found = (await listCases(pool, search)).map((one) => ({
            case: one.caseId,
            kind: one.kind,
            opened: wireTime.format(one.openedAt),
            closed: one.closedAt === null ? null : wireTime.format(one.closedAt),
            crns: one.crns.map(String),
            resolution: one.resolution,
          }));
          return {
            json: found,
            text: table(
              ['CASE', 'KIND', 'OPENED', 'SUBJECTS', 'RESOLUTION'].map((title) => ({ title })),
              found.map((one) => [
                one.case,
                one.kind,
                one.opened,
                one.crns.join(', '),
                one.resolution ?? '',
              ]),
              search.open ? 'no open case' : 'no closed case',
            ),
          };
        });
      },
    );
  command(cases, 'close <case>', 'Close a case with its finding.')
    .requiredOption('--resolution <text>', 'the finding, and what was done', displayName)
    .action(async (caseId: string, options: { json?: boolean; resolution: string }) => {
      await cli.run(options, async ({ pool }) => {
        if (!(await closeCase(pool, id(caseId), options.resolution, new Date()))) {
          throw new PlainError('No open case has this id.');
        }
        return { json: { case: caseId, closed: true }, text: 'Closed.\n' };
      });
    });
}

function addDisputes(credit: Command, cli: Cli): void {
  const disputes = credit.command('dispute').description('Disputes of subjects about accounts.');
  command(
    disputes,
    'open',
    'Open a dispute. Until it is closed, no default of the account is counted or scored.',
  )
    .requiredOption('--crn <number>', 'customer reference number', crnNumber)
    .requiredOption('--account <number>', 'account as the subject report shows it', crnNumber)
    .requiredOption('--statement <text>', `the subject’s words, at most ${STATEMENT_WORDS}`)
    .action(
      async (options: { json?: boolean; crn: string; account: string; statement: string }) => {
        await cli.run(options, async (session) => {
          if (options.statement.trim().split(/\s+/).length > STATEMENT_WORDS) {
            throw new PlainError(`The statement has more than ${STATEMENT_WORDS} words.`);
          }
          const dispute = await openDispute(session.pool, await openVault(session), {
            crn: BigInt(options.crn),
            accountId: BigInt(options.account),
            statement: options.statement.trim(),
            at: new Date(),
          });
          if (dispute === undefined)
            throw new PlainError('The subject does not have this account.');
          return { json: { dispute }, text: `Dispute ${dispute} is open.\n` };
        });
      },
    );
  command(disputes, 'close <dispute>', 'Close a dispute.')
    .addOption(
      new Option('--outcome <outcome>', 'how it ended')
        .choices(['upheld', 'rejected', 'withdrawn'])
        .makeOptionMandatory(),
    )
    .action(async (disputeId: string, options: { json?: boolean; outcome: DisputeOutcome }) => {
      await cli.run(options, async ({ pool }) => {
        if (!(await closeDispute(pool, id(disputeId), options.outcome, new Date()))) {
          throw new PlainError('No open dispute has this id.');
        }
        return { json: { dispute: disputeId, outcome: options.outcome }, text: 'Closed.\n' };
      });
    });
}
