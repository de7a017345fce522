import type { WireTime } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { CreditAccount } from '../facts.ts';
import { fullName } from '../registry/profile.ts';
import type { Address, Profile } from '../registry/profile.ts';
import { CHARACTERISTICS, applicationsOf } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import { factsOf } from '../scorecards/card-facts.ts';
import { explainScore, scoreFile } from '../scorecards/score.ts';
import type { ScoreAnswer } from '../scorecards/score.ts';
import { SCORE_KINDS } from '../scorecards/scorecard.ts';
import type { ScoreKind } from '../scorecards/scorecard.ts';
import {
  isDeceased,
  isDisputed,
  isInDefault,
  isOpen,
  isOriginalKnown,
  statesOf,
} from '../scorecards/standing.ts';
import { pointBars, scoreScale } from './charts.ts';
import type { Block, ReportDocument } from '../../platform/documents/document.ts';
import type { SubjectReport } from './subject-report.ts';
import {
  DOCUMENT_NAMES,
  PARTS,
  PRODUCTS,
  REPORT_REASONS,
  REPORT_WORDS,
  SECTOR_NAMES,
  SOLE_REASON_NOTICE,
  STATUS_NAMES,
  SWAHILI_REASONS,
  fill,
} from './words.ts';
import type { Language } from '../../platform/documents/document.ts';

type ReportWords = (typeof REPORT_WORDS)[Language];

interface Context {
  readonly language: Language;
  readonly words: ReportWords;
  readonly wireTime: WireTime;
}

/** A person's report, in words and charts that the person understands. */
export function subjectDocument(
  report: SubjectReport,
  language: Language,
  wireTime: WireTime,
): ReportDocument {
  const words = REPORT_WORDS[language];
  const context = { language, words, wireTime };
  return {
    title: words.title,
    language,
    footer: `${words.title} · ${words.reference} ${report.crn}`,
    madeAt: report.madeAt,
    blocks: [
      {
        kind: 'facts',
        rows: [
          [words.reference, String(report.crn)],
          [words.prepared, wireTime.format(report.madeAt)],
        ],
      },
      { kind: 'paragraph', text: words.intro },
      ...personalBlocks(report.profile, context),
      ...scoreBlocks(report, context),
      ...summaryBlocks(report, words),
      ...accountBlocks(report, context),
      ...enquiryBlocks(report, context),
      ...disputeBlocks(report, context),
      ...rightsBlocks(words),
    ],
  };
}

function personalBlocks(profile: Profile, { words, language }: Context): Block[] {
  const list = (texts: readonly string[]): string => texts.join(', ') || words.none;
  return [
    { kind: 'heading', text: words.personal },
    {
      kind: 'facts',
      rows: [
        [words.name, fullName(profile.name)],
        [words.otherNames, list(profile.alsoKnownAs.map(fullName))],
        [words.born, profile.dateOfBirth || words.none],
        [
          words.documents,
          list(
            profile.documents.map(
              ({ type, number }) => `${DOCUMENT_NAMES[type][language]} ${number}`,
            ),
          ),
        ],
        [words.phones, list(profile.phones.map(({ number }) => `+${number}`))],
        [words.addresses, profile.addresses.map(addressText).join('; ') || words.none],
      ],
    },
  ];
}

function addressText({ line, town, country }: Address): string {
  return [line, town, country].filter((part) => part !== '').join(', ');
}

function scoreBlocks({ shown, scorecards }: SubjectReport, context: Context): Block[] {
  const { words, language } = context;
  if (isDeceased(shown)) {
    return [
      { kind: 'heading', text: words.genericScore },
      { kind: 'note', text: words.deceased },
    ];
  }
  const scores = SCORE_KINDS.map((kind) => ({ kind, score: scoreFile(shown, kind, scorecards) }));
  if (scores.every(({ score }) => score.score === '')) {
    return [
      { kind: 'heading', text: words.genericScore },
      { kind: 'note', text: words.noHistory },
    ];
  }
  return [
    { kind: 'heading', text: words.genericScore },
    { kind: 'paragraph', text: words.whatScoreIs },
    ...scores.flatMap(({ kind, score }, index) => [
      ...(index === 0 ? [] : [{ kind: 'heading', text: words.mobileScore } as const]),
      ...oneScore({ shown, scorecards }, kind, { score, context }),
    ]),
    { kind: 'note', text: SOLE_REASON_NOTICE[language] },
  ];
}

function oneScore(
  { shown, scorecards }: Pick<SubjectReport, 'shown' | 'scorecards'>,
  kind: ScoreKind,
  { score, context }: { readonly score: ScoreAnswer; readonly context: Context },
): Block[] {
  const { words, language } = context;
  const { basePoints, rows } = explainScore(shown, kind, scorecards);
  const facts = factsOf(scorecards[kind]);
  const filled = {
    score: score.score,
    grade: score.grade,
    bad: String(Math.round(Number(score.probability) * 10)),
    days: String(facts.defaultDays),
    months: String(facts.horizonMonths),
    card: facts.card,
    population: facts.population,
  };
  const reasons = reasonTexts(score, language);
  return [
    {
      kind: 'chart',
      drawing: scoreScale(Number(score.score), fill(words.scaleChart, filled)),
    },
    { kind: 'paragraph', text: fill(words.scoreIs, filled) },
    {
      kind: 'note',
      text: fill(facts.isExample ? words.cardIsExample : words.cardIs, filled),
    },
    { kind: 'paragraph', text: reasons.length === 0 ? words.noReasons : words.reasons },
    ...(reasons.length === 0 ? [] : [{ kind: 'list', items: reasons } as const]),
    { kind: 'paragraph', text: words.madeOf },
    {
      kind: 'chart',
      drawing: pointBars(
        rows.map((row) => ({ ...row, label: partName(row.name, row.meaning, language) })),
        words.madeOf,
      ),
    },
    { kind: 'paragraph', text: fill(words.base, { base: String(basePoints) }) },
    ...(shown.accounts.some(isDisputed)
      ? [{ kind: 'note', text: words.disputedLeftOut } as const]
      : []),
  ];
}

/** A card may have parts of its own, whose meaning is in English only. */
function partName(name: string, meaning: string, language: Language): string {
  return (
    (PARTS as Readonly<Record<string, Readonly<Record<Language, string>>>>)[name]?.[language] ??
    meaning
  );
}

const NAME_OF_REASON: ReadonlyMap<string, CharacteristicName> = new Map(
  Object.entries(CHARACTERISTICS).map(([name, { reason }]) => [reason, name as CharacteristicName]),
);

/** The reasons of a score, without those that only fill the four places. */
export function reasonTexts(
  { reasons }: Pick<ScoreAnswer, 'reasons'>,
  language: Language,
): string[] {
  return reasons.flatMap((reason) => {
    const name = NAME_OF_REASON.get(reason);
    if (name === undefined) return isFiller(reason) ? [] : [reason];
    return [language === 'sw' ? SWAHILI_REASONS[name] : reason];
  });
}

/** Disputes have a note of their own. */
function isFiller(reason: string): boolean {
  return reason === '' || reason === 'No further reason' || /under dispute/.test(reason);
}

function summaryBlocks({ shown, file }: SubjectReport, words: ReportWords): Block[] {
  const { accounts } = shown;
  const counted = accounts.filter((account) => !isDisputed(account));
  const sum = (centsOf: (account: CreditAccount) => bigint, some = accounts): string =>
    amount(some.reduce((total, account) => total + centsOf(account), 0n));
  const worst = Math.max(0, ...counted.flatMap(statesOf).map(({ daysInArrears }) => daysInArrears));
  return [
    { kind: 'heading', text: words.summary },
    {
      kind: 'facts',
      rows: [
        [words.open, String(accounts.filter(isOpen).length)],
        [words.closed, String(accounts.filter((account) => !isOpen(account)).length)],
        [words.inDefault, String(counted.filter(isInDefault).length)],
        [words.disputed, String(accounts.length - counted.length)],
        [words.balance, sum(({ current }) => current.balanceCents)],
        [words.overdue, sum(({ current }) => current.overdueCents, counted)],
        [words.worst, String(worst)],
        [words.applications, String(applicationsOf(shown.enquiries, file.asOf, 90))],
      ],
    },
  ];
}

function accountBlocks({ file, shown }: SubjectReport, context: Context): Block[] {
  const { words } = context;
  const hidden = new Set(
    shown.accounts.filter(({ troubleSuppressed }) => troubleSuppressed).map(({ key }) => key),
  );
  const { accounts, guarantees = [] } = file;
  return [
    { kind: 'heading', text: words.accounts },
    accountTable(accounts, hidden, context),
    ...(accounts.length === 0 ? [] : [{ kind: 'paragraph', text: words.accountsNote } as const]),
    ...(hidden.size === 0 ? [] : [{ kind: 'paragraph', text: words.hidden } as const]),
    ...accounts.flatMap((account) => boughtBlocks(account, context)),
    ...(guarantees.length === 0
      ? []
      : [
          { kind: 'heading', text: words.guarantees } as const,
          accountTable(guarantees, new Set(), context),
          { kind: 'paragraph', text: words.guaranteesNote } as const,
        ]),
  ];
}

/** Who submitted a debt before it was sold. */
function boughtBlocks(
  { lender, openedOn, boughtFrom }: CreditAccount,
  { words }: Context,
): Block[] {
  if (boughtFrom === undefined) return [];
  const former = boughtFrom.map((key) => key.slice(0, key.lastIndexOf(' '))).join(', ');
  const text = fill(words.bought, { lender, former, opened: isoDay(openedOn) });
  return [{ kind: 'paragraph', text }];
}

function accountTable(
  accounts: readonly CreditAccount[],
  hidden: ReadonlySet<string>,
  { words, language }: Context,
): Block {
  return {
    kind: 'table',
    columns: [
      { title: words.lender, width: 18 },
      { title: words.type, width: 13 },
      { title: words.opened, width: 12 },
      { title: words.original, width: 14, align: 'right' },
      { title: words.accountBalance, width: 14, align: 'right' },
      { title: words.accountOverdue, width: 14, align: 'right' },
      { title: words.days, width: 7, align: 'right' },
      { title: words.status, width: 11 },
      { title: words.asOf, width: 12 },
    ],
    rows: accounts.map((account) => [
      account.lender + (hidden.has(account.key) ? ' *' : ''),
      PRODUCTS[account.product][language],
      isoDay(account.openedOn),
      isOriginalKnown(account) ? amount(account.originalCents) : '–',
      amount(account.current.balanceCents),
      amount(account.current.overdueCents),
      String(account.current.daysInArrears),
      STATUS_NAMES[isDisputed(account) ? 'P' : account.current.status][language],
      isoDay(account.current.asOf),
    ]),
    empty: words.noAccounts,
  };
}

function enquiryBlocks({ enquiries, watches }: SubjectReport, context: Context): Block[] {
  const { words, language, wireTime } = context;
  return [
    { kind: 'heading', text: words.who },
    {
      kind: 'table',
      columns: [
        { title: words.when, width: 22 },
        { title: words.askedBy, width: 30 },
        { title: words.sector, width: 18 },
        { title: words.why, width: 30 },
      ],
      rows: enquiries.map((enquiry) => [
        wireTime.format(enquiry.enquiredAt),
        enquiry.nameDiffers ? `${enquiry.askedBy} (${words.otherName})` : enquiry.askedBy,
        sectorName(enquiry.sector, language),
        REPORT_REASONS[enquiry.reportReason]?.[language] ?? String(enquiry.reportReason),
      ]),
      empty: words.nobodyAsked,
    },
    ...watches.map(({ vendorId, startedAt }) => {
      // A watch needs an earlier enquiry of its vendor, so the vendor's name is known from there.
      const who = enquiries.find((enquiry) => enquiry.vendorId === vendorId)?.askedBy ?? '–';
      const values = { who, since: wireTime.format(startedAt) };
      return { kind: 'paragraph', text: fill(words.watches, values) } as const;
    }),
  ];
}

function sectorName(sector: string, language: Language): string {
  return sector in SECTOR_NAMES ? SECTOR_NAMES[sector as Sector][language] : sector;
}

function disputeBlocks({ disputes, corrections }: SubjectReport, context: Context): Block[] {
  const { words, wireTime } = context;
  return [
    { kind: 'heading', text: words.disputes },
    {
      kind: 'table',
      columns: [
        { title: words.openedOn, width: 22 },
        { title: words.account, width: 12 },
        { title: words.statement, width: 50 },
        { title: words.outcome, width: 16 },
      ],
      rows: disputes.map((dispute) => [
        wireTime.format(dispute.openedAt),
        String(dispute.accountId),
        dispute.statement,
        dispute.outcome === null ? words.pending : words.outcomes[dispute.outcome],
      ]),
      empty: words.noDisputes,
    },
    ...(corrections.length === 0
      ? []
      : [
          {
            kind: 'paragraph',
            text: fill(words.corrections, { count: String(corrections.length) }),
          } as const,
        ]),
  ];
}

function rightsBlocks(words: ReportWords): Block[] {
  return [
    { kind: 'heading', text: words.rights },
    { kind: 'list', items: words.rightsList },
    { kind: 'paragraph', text: words.law },
  ];
}

/** `1234567` cents as `12,345.67`. */
export function amount(cents: bigint): string {
  return formatMoney(cents).replaceAll(/\B(?=(\d{3})+\.)/g, ',');
}
