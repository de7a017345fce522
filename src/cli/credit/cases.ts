import { Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { listCases } from '../../credit/registry/cases-store.ts';
import { proposeClosing, proposeOutcome } from '../../credit/decisions/propose.ts';
import {
  STATEMENT_WORDS,
  listOpenDisputes,
  openDispute,
} from '../../credit/registry/disputes-store.ts';
import type { DisputeOutcome } from '../../credit/registry/disputes-store.ts';
import { command, displayName, idOf, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { asPerson } from '../parties/as-person.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';
import { crnNumber } from './subject.ts';
import { openVault } from './vault.ts';
import { table } from '../output.ts';

const requireCaseId = idOf('case');
const requireDisputeId = idOf('dispute');

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
    .option('--after <case>', 'the page after this case', requireCaseId)
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
  proposing(
    command(
      cases,
      'close',
      'Propose to close a case without a merge. The reason is the finding.',
    ).argument('<case>', 'its id', requireCaseId),
  ).action(async (caseId: string, options: GroundsOptions) => {
    await cli.run(options, async (session) => {
      const step = { session, options, about: ['case', caseId] as const };
      return await propose(cli, step, (deps, grounds) => proposeClosing(deps, caseId, grounds));
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
    .option('--by <name>', 'who opens it', displayName, 'command line')
    .action(
      async (options: {
        json?: boolean;
        crn: string;
        account: string;
        statement: string;
        by: string;
      }) => {
        await cli.run(options, async (session) => {
          if (options.statement.trim().split(/\s+/).length > STATEMENT_WORDS) {
            throw new PlainError(`The statement has more than ${STATEMENT_WORDS} words.`);
          }
          const { by, crn, account } = options;
          const act = { by, permission: 'credit.act', action: 'credit.dispute.open' } as const;
          const dispute = await asPerson(cli, session, { ...act, target: account }, async () =>
            openDispute(session.pool, await openVault(session), {
              ...{ crn: BigInt(crn), accountId: BigInt(account) },
              ...{ statement: options.statement.trim(), at: new Date() },
            }),
          );
          if (dispute === undefined)
            throw new PlainError('The subject does not have this account, or disputes it already.');
          return { json: { dispute }, text: `Dispute ${dispute} is open.\n` };
        });
      },
    );
  proposing(
    command(disputes, 'close', 'Propose how a dispute ended.')
      .argument('<dispute>', 'its id', requireDisputeId)
      .addOption(
        new Option('--outcome <outcome>', 'how it ended')
          .choices(['upheld', 'rejected', 'withdrawn'])
          .makeOptionMandatory(),
      ),
  ).action(async (dispute: string, options: GroundsOptions & { outcome: DisputeOutcome }) => {
    await cli.run(options, async (session) => {
      const asked = { dispute, outcome: options.outcome };
      const step = { session, options, about: ['dispute', dispute] as const };
      return await propose(cli, step, (deps, grounds) => proposeOutcome(deps, asked, grounds));
    });
  });
  addDisputeList(disputes, cli);
}

function addDisputeList(disputes: Command, cli: Cli): void {
  command(disputes, 'list', 'Open disputes, oldest first.')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .option('--after <dispute>', 'the page after this dispute', requireDisputeId)
    .action(async (options: { json?: boolean; limit: number; after?: string }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const found = (await listOpenDisputes(pool, options)).map((one) => ({
          dispute: one.disputeId,
          opened: wireTime.format(one.openedAt),
          crn: String(one.crn),
          account: String(one.accountId),
          lender: one.lender,
        }));
        return {
          json: { disputes: found },
          text: table(
            ['DISPUTE', 'OPENED', 'SUBJECT', 'ACCOUNT', 'LENDER'].map((title) => ({ title })),
            found.map((one) => Object.values(one)),
            'no open dispute',
          ),
        };
      });
    });
}
