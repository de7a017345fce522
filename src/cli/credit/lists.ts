import { Option } from 'commander';
import type { Command } from 'commander';
import { listEnquiries } from '../../credit/enquiries/list-store.ts';
import { listVendorWatches } from '../../credit/watches/lists-store.ts';
import { ENQUIRY_OUTCOMES } from '../../credit/enquiries/record.ts';
import type { EnquiryOutcome } from '../../credit/enquiries/record.ts';
import { command, like, periodEnd, periodStart, signerName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { requireVendor } from '../parties/vendors.ts';

const DEFAULT_LIMIT = 100;
const MAX_LISTED = 10_000;
const sequenceNumber = like({ pattern: '^\\d{1,18}$', form: 'a number of an enquiry' });

/** Lists of enquiries, watches and imports, page by page. */
export function addListCommands(credit: Command, cli: Cli): void {
  addEnquiries(credit, cli);
  addWatches(credit, cli);
}

interface EnquiryOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly from?: string;
  readonly until?: string;
  readonly outcome?: EnquiryOutcome;
  readonly reference?: string;
  readonly limit: number;
  readonly after?: string;
}

function addEnquiries(credit: Command, cli: Cli): void {
  command(credit, 'enquiries', 'A vendor’s enquiries, newest first, without encrypted data.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .option('--from <time>', 'made then or later: a day or a time')
    .option('--until <time>', 'made until the end of that day, or before that time')
    .addOption(
      new Option('--outcome <outcome>', 'only those with this outcome').choices(ENQUIRY_OUTCOMES),
    )
    .option('--reference <text>', 'only those with this requestReference')
    .option('--limit <count>', 'at most this many', wholeNumber(1, MAX_LISTED), DEFAULT_LIMIT)
    .option('--after <number>', 'the page after the enquiry with this number', sequenceNumber)
    .action(async (options: EnquiryOptions) => {
      await cli.run(options, async (session) => await enquiriesAnswer(session, options));
    });
}

async function enquiriesAnswer(session: Session, options: EnquiryOptions): Promise<Answer> {
  const { pool, wireTime } = session;
  const { from, until, after } = options;
  const vendor = await requireVendor(pool, options.vid);
  const found = await listEnquiries(pool, vendor.vendorId, {
    from: from === undefined ? undefined : periodStart(from, '--from', wireTime),
    until: until === undefined ? undefined : periodEnd(until, '--until', wireTime),
    outcomes: options.outcome && [options.outcome],
    requestReference: options.reference,
    after: after === undefined ? undefined : BigInt(after),
    limit: options.limit,
  });
  const enquiries = found.map((one) => ({
    number: Number(one.sequence),
    enquired: wireTime.format(one.enquiredAt),
    operation: one.operation,
    request_reference: one.requestReference,
    reason: one.reportReason,
    outcome: one.outcome,
    crn: one.crn,
    score: one.score,
    grade: one.grade,
    scorecard: one.scorecard,
    source: one.source,
    consent_reference: one.consentReference,
    duration_ms: one.durationMs,
    erased: one.erased,
  }));
  return {
    json: { enquiries },
    text: table(
      [
        { title: 'NUMBER', align: 'right' },
        ...['ENQUIRED', 'OPERATION', 'REFERENCE', 'REASON', 'OUTCOME', 'CRN', 'SCORE'].map(
          (title) => ({ title }),
        ),
      ],
      enquiries.map((one) => [
        String(one.number),
        one.enquired,
        one.operation,
        one.request_reference,
        String(one.reason),
        one.erased ? `${one.outcome} (erased)` : one.outcome,
        one.crn ?? '',
        [one.score ?? '', one.grade ?? ''].join(' ').trim(),
      ]),
      'no enquiries',
    ),
  };
}

function addWatches(credit: Command, cli: Cli): void {
  command(
    credit,
    'watches',
    'The customers that a vendor watches, ordered by the reference of the enquiry.',
  )
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .option('--limit <count>', 'at most this many', wholeNumber(1, MAX_LISTED), DEFAULT_LIMIT)
    .option('--after <reference>', 'the page after this reference', '')
    .action(async (options: { json?: boolean; vid: string; limit: number; after: string }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { vendorId } = await requireVendor(pool, options.vid);
        const { limit, after } = options;
        const found = await listVendorWatches(pool, { vendorId, limit, after });
        const watches = found.map((one) => ({
          request_reference: one.requestReference,
          crn: String(one.crn),
          score_drop: one.scoreDrop,
          started: wireTime.format(one.startedAt),
          ended: one.endedAt === null ? null : wireTime.format(one.endedAt),
        }));
        return {
          json: { watches },
          text: table(
            ['REFERENCE', 'CRN', 'SCORE DROP', 'STARTED', 'ENDED'].map((title) => ({ title })),
            watches.map((one) => [
              one.request_reference,
              one.crn,
              String(one.score_drop),
              one.started,
              one.ended ?? '',
            ]),
            'no watches',
          ),
        };
      });
    });
}
