import { Option } from 'commander';
import type { Command } from 'commander';
import { CREDIT_OPERATIONS } from '../../credit/bureaus/bureau.ts';
import { listEnquiries } from '../../credit/enquiries/list-store.ts';
import { readMonths, startOfMonths } from '../../credit/monitoring/months.ts';
import type { MonthFigures } from '../../credit/monitoring/monitor.ts';
import {
  addOverride,
  countOverrides,
  listOverrides,
} from '../../credit/monitoring/overrides-store.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireVendor } from '../parties/vendors.ts';
import { command, displayName, signerName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

/** Shows the performance of the scorecards in use, and decisions against them. */
export function addMonitorCommands(credit: Command, cli: Cli): void {
  command(
    credit,
    'monitor',
    'Stability and calibration of the cards in use, by month; champion and challenger side by side.',
  )
    .option(
      '--months <count>',
      'number of months, including the current one',
      wholeNumber(1, 60),
      14,
    )
    .action(async (options: { json?: boolean; months: number }) => {
      await cli.run(options, async (session) => await monitor(session, options.months));
    });
  const override = credit
    .command('override')
    .description('Decisions of lenders against the score.');
  addOverrideAdd(override, cli);
  addOverrideList(override, cli);
}

async function monitor({ pool, config }: Session, months: number): Promise<Answer> {
  const { timeZone } = config;
  const now = new Date();
  const figures = await readMonths(pool, { months, now, timeZone });
  const from = startOfMonths({ months, now, timeZone });
  const overrides = await countOverrides(pool, from, timeZone);
  const overridesOf = ({ month, card, role }: MonthFigures): number =>
    role === 'challenger'
      ? 0
      : overrides
          .filter((one) => one.month === month && one.card === card)
          .reduce((sum, { count }) => sum + count, 0);
  return {
    json: {
      months: figures.map((one) => ({
        month: one.month,
        kind: one.kind,
        card: one.card,
        role: one.role,
        people: one.people,
        mean_score: Math.round(one.meanScore),
        stability_index: one.stabilityIndex,
        compared_with: one.comparedWith,
        outcomes_known: one.known,
        predicted: one.predicted,
        observed: one.observed,
        auc: one.auc,
        bad_so_far: one.badSoFar,
        overrides: overridesOf(one),
      })),
    },
    text: table(
      [
        ...['MONTH', 'KIND', 'ROLE', 'CARD'].map((title) => ({ title })),
        ...['PEOPLE', 'MEAN', 'PSI', 'KNOWN', 'PREDICTED', 'OBSERVED', 'AUC', 'OVERRIDES'].map(
          (title) => ({ title, align: 'right' as const }),
        ),
      ],
      figures.map((one) => [
        ...[one.month, one.kind, one.role, one.card],
        String(one.people),
        one.meanScore.toFixed(0),
        stabilityText(one.stabilityIndex),
        String(one.known),
        percentText(one.predicted),
        percentText(one.observed),
        one.auc === null ? '–' : one.auc.toFixed(3),
        String(overridesOf(one)),
      ]),
      'no scores in these months',
    ),
  };
}

/** 0.1 and 0.25 are the usual limits. */
function stabilityText(index: number | null): string {
  if (index === null) return '–';
  const verdict = index < 0.1 ? '' : index < 0.25 ? ' watch' : ' act';
  return `${index.toFixed(3)}${verdict}`;
}

function percentText(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)} %`;
}

interface OverrideOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly reference: string;
  readonly operation: string;
  readonly decision: 'approved' | 'declined';
  readonly reason: string;
  readonly by: string;
}

function addOverrideAdd(override: Command, cli: Cli): void {
  command(override, 'add', 'Record that a lender decided against the score of an enquiry.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .requiredOption('--reference <text>', 'requestReference of the enquiry')
    .addOption(
      new Option('--operation <name>', 'operation of the enquiry')
        .choices(CREDIT_OPERATIONS.filter((name) => name !== 'id-decision'))
        .default('generic-score'),
    )
    .addOption(
      new Option('--decision <what>', 'the lender’s decision against the score')
        .choices(['approved', 'declined'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'why', displayName)
    .requiredOption('--by <name>', 'who decided', displayName)
    .action(async (options: OverrideOptions) => {
      await cli.run(options, async (session) => await recordOverride(session, options));
    });
}

async function recordOverride({ pool }: Session, options: OverrideOptions): Promise<Answer> {
  const { vendorId } = await requireVendor(pool, options.vid);
  const found = await listEnquiries(pool, vendorId, {
    requestReference: options.reference,
    outcomes: ['answered'],
    limit: 10,
  });
  const enquiry = found.find(({ operation }) => operation === options.operation);
  if (enquiry === undefined) throw new PlainError('No answered enquiry has this reference.');
  const { score, scorecard: card, sequence, enquiredAt } = enquiry;
  if (score === null || score === '' || card === null) {
    throw new PlainError('This enquiry was answered without a score.');
  }
  const { decision, reason, by: decidedBy } = options;
  const recordedAt = new Date();
  await addOverride(pool, {
    ...{ vendorId, sequence, decision, reason, decidedBy, recordedAt, enquiredAt, card, score },
  });
  return {
    json: { number: Number(sequence), decision, card, score },
    text: `Recorded: ${decision} although ${card} gave ${score}.\n`,
  };
}

function addOverrideList(override: Command, cli: Cli): void {
  command(override, 'list', 'A vendor’s overrides, newest first.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(async (options: { json?: boolean; vid: string; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { vendorId } = await requireVendor(pool, options.vid);
        const overrides = (await listOverrides(pool, vendorId, options.limit)).map((one) => ({
          number: Number(one.sequence),
          recorded: wireTime.format(one.recordedAt),
          decision: one.decision,
          card: one.card,
          score: one.score,
          decided_by: one.decidedBy,
          reason: one.reason,
        }));
        return {
          json: { overrides },
          text: table(
            ['ENQUIRY', 'RECORDED', 'DECISION', 'CARD', 'SCORE', 'BY', 'REASON'].map((title) => ({
              title,
            })),
            overrides.map((one) => [
              ...[String(one.number), one.recorded, one.decision, one.card, one.score],
              ...[one.decided_by, one.reason],
            ]),
            'no overrides',
          ),
        };
      });
    });
}
