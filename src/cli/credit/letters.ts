import { Option } from 'commander';
import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { DAY_MS, isoDay } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { CREDIT_OPERATIONS } from '../../credit/bureaus/bureau.ts';
import type { CreditOperation } from '../../credit/bureaus/bureau.ts';
import { startOfDay } from '../../credit/registry/day.ts';
import { readAnswered } from '../../credit/enquiries/read-kept.ts';
import type { AnsweredEnquiry } from '../../credit/enquiries/read-kept.ts';
import { readDefaults } from '../../credit/importing/pre-listing.ts';
import type { Finding } from '../../credit/importing/record.ts';
import type { AmountUnit } from '../../credit/registry/account.ts';
import { readSuppressionRules } from '../../credit/registry/read-suppression.ts';
import { readAllCards } from '../../credit/governance/cards.ts';
import { TEMPLATES } from '../../credit/importing/template.ts';
import type { TemplateName } from '../../credit/importing/template.ts';
import { fullName } from '../../credit/registry/profile.ts';
import { plainTextOf } from '../../credit/reports/document.ts';
import type { ReportDocument } from '../../credit/reports/document.ts';
import {
  DECISIONS,
  NOTICE_DAYS,
  adverseActionNotice,
  consentReceipt,
  preListingNotice,
} from '../../credit/reports/letters.ts';
import type { Decision } from '../../credit/reports/letters.ts';
import { decisionFacts } from '../../credit/reports/decision-facts.ts';
import { LANGUAGES } from '../../credit/reports/words.ts';
import type { Language } from '../../credit/reports/words.ts';
import { SECTORS } from '../../parties/vendor.ts';
import type { Sector } from '../../parties/vendor.ts';
import { command, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { Answer } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';
import type { Session } from '../session.ts';
import { documentOptions, writeDocument } from './documents.ts';
import type { DocumentOptions } from './documents.ts';
import { EXIT } from '../exit.ts';
import { amountsOption, realDay } from './import.ts';
import { openVault } from './vault.ts';

interface EnquiryOptions extends DocumentOptions {
  readonly json?: boolean;
  readonly vendor: string;
  readonly requestReference: string;
  readonly operation: CreditOperation;
}

/** Letters that Kenyan law and good practice require around credit information. */
export function addLetterCommands(credit: Command, cli: Cli): void {
  const letter = credit
    .command('letter')
    .description('Drafts of letters: adverse action, pre-listing, consent receipt.');
  ofEnquiry(
    letter,
    'adverse-action',
    'The notice that a lender sends when it decides against a customer because of an enquiry.',
  )
    .addOption(
      new Option('--decision <decision>', 'what was decided')
        .choices(DECISIONS)
        .default('declined'),
    )
    .action(async (options: AdverseOptions) => {
      await cli.run(options, async (session) => await adverseAction(session, options));
    });
  ofEnquiry(
    letter,
    'consent-receipt',
    'What a customer’s consent was used for: who asked, when and why.',
  ).action(async (options: EnquiryOptions) => {
    await cli.run(options, async (session) => await receipt(session, options));
  });
  addPreListing(letter, cli);
}

type AdverseOptions = EnquiryOptions & { readonly decision: Decision };

async function adverseAction(session: Session, options: AdverseOptions): Promise<Answer> {
  const { enquiry, lender } = await readEnquiry(session, options);
  const cards = await readAllCards(session.pool);
  const facts = decisionFacts(enquiry, options.language, cards);
  if (facts === undefined) {
    throw new PlainError('The answer of this enquiry has no score, or is no longer stored.');
  }
  const { wireTime, config } = session;
  const document = adverseActionNotice({
    ...lettersOf(session, options.language),
    ...facts,
    lender,
    decision: options.decision,
    enquiry: {
      reference: options.requestReference,
      day: wireTime.format(enquiry.enquiredAt).slice(0, 10),
    },
    contact: config.creditContact,
  });
  return await answer(document, options);
}

async function receipt(session: Session, options: EnquiryOptions): Promise<Answer> {
  const { enquiry, lender } = await readEnquiry(session, options);
  const document = consentReceipt({
    ...lettersOf(session, options.language),
    lender,
    consentReference: enquiry.consentReference ?? '',
    consentDate: enquiry.consentDate ?? '',
    enquiry: {
      id: enquiry.enquiryId,
      reference: options.requestReference,
      time: session.wireTime.format(enquiry.enquiredAt),
      operation: options.operation,
      reportReason: enquiry.reportReason,
    },
  });
  return await answer(document, options);
}

function ofEnquiry(letter: Command, name: string, summary: string): Command {
  return documentOptions(
    command(letter, name, summary)
      .requiredOption('--vendor <vid>', 'the vendor that asked', signerName)
      .requiredOption('--request-reference <reference>', 'requestReference of the enquiry')
      .addOption(
        new Option('--operation <operation>', 'operation of the enquiry')
          .choices(CREDIT_OPERATIONS)
          .default('generic-score'),
      ),
  );
}

async function readEnquiry(
  session: Session,
  { vendor: vid, requestReference, operation }: EnquiryOptions,
): Promise<{ readonly enquiry: AnsweredEnquiry; readonly lender: string }> {
  const { vendorId, name } = await requireVendor(session.pool, vid);
  const vault = await openVault(session);
  const asked = { vendorId, requestReference, operation };
  const enquiry = await readAnswered(session.pool, vault, asked);
  if (enquiry === undefined) {
    throw new PlainError(`Vendor ${vid} has no answered enquiry with this reference.`);
  }
  return { enquiry, lender: name };
}

function lettersOf({ wireTime }: Session, language: Language) {
  const madeAt = systemClock.now();
  return { language, madeAt, today: wireTime.format(madeAt).slice(0, 10) };
}

async function answer(document: ReportDocument, options: DocumentOptions): Promise<Answer> {
  if (options.format === 'text' && options.output === undefined) {
    const text = plainTextOf(document);
    return { json: { title: document.title, language: document.language, text }, text };
  }
  const file = await writeDocument(document, options);
  return { json: { title: document.title, file }, text: `${document.title}: ${file}\n` };
}

interface PreListingOptions {
  readonly json?: boolean;
  readonly template: TemplateName;
  readonly lenderName: string;
  readonly sector: Sector;
  readonly asOf: string;
  readonly amounts?: AmountUnit;
  readonly language: Language;
}

function addPreListing(letter: Command, cli: Cli): void {
  command(
    letter,
    'pre-listing <file>',
    `Notices to the holders of accounts that are in default in a file. The lender sends them at least ${NOTICE_DAYS} days before it submits the file. Nothing is imported.`,
  )
    .addOption(
      new Option('--template <template>', 'columns of the file')
        .choices(Object.keys(TEMPLATES))
        .makeOptionMandatory(),
    )
    .requiredOption('--lender-name <name>', 'name of the lender as its customers know it')
    .addOption(
      new Option('--sector <sector>', 'the lender’s sector').choices(SECTORS).makeOptionMandatory(),
    )
    .requiredOption('--as-of <date>', 'as-of date of the data, YYYY-MM-DD', realDay)
    .addOption(amountsOption())
    .addOption(
      new Option('--language <language>', 'English or Swahili').choices(LANGUAGES).default('en'),
    )
    .action(async (file: string, options: PreListingOptions) => {
      await cli.run(options, async (session) => await preListing(session, file, options));
    });
}

async function preListing(
  session: Session,
  file: string,
  options: PreListingOptions,
): Promise<Answer> {
  const letters = lettersOf(session, options.language);
  const today = startOfDay(letters.madeAt, session.config.timeZone);
  const submitFrom = isoDay(new Date(today.getTime() + NOTICE_DAYS * DAY_MS));
  const notices: { line: number; account: string; submit_from: string; text: string }[] = [];
  const findings: Finding[] = [];
  const rules = await readSuppressionRules(session.pool);
  for await (const noticed of readDefaults(file, options, rules)) {
    if (noticed.account === undefined) {
      findings.push(...noticed.findings);
      continue;
    }
    const { account, state } = noticed;
    const document = preListingNotice({
      ...letters,
      lender: options.lenderName,
      customer: fullName(account.profile.name),
      accountNumber: account.accountNumber,
      overdueCents: state.overdueCents,
      daysInArrears: state.daysInArrears,
      submitFrom,
    });
    notices.push({
      line: account.line,
      account: account.accountNumber,
      submit_from: submitFrom,
      text: plainTextOf(document),
    });
  }
  const text =
    notices.length === 0
      ? 'No account in the file is in default.\n'
      : notices.map((notice) => notice.text).join('\f');
  if (findings.length === 0) return { json: { notices, findings }, text };
  // A line that cannot be read may list somebody whom nobody would then have told.
  const faulty = new Set(findings.map(({ line }) => line)).size;
  const list = findings.map(({ line, field, rule }) => `line ${line} ${field} ${rule}`.trim());
  return {
    json: { notices, findings },
    text: `${notices.length === 0 ? 'No account in a line without errors is in default.\n' : text}\n${faulty} lines have errors, so this list is not complete. Correct them and run the command again:\n${list.join('\n')}\n`,
    exitCode: EXIT.failed,
  };
}
