import type { AccountStatus, ProductType } from '../facts.ts';
import type { DocumentType } from '../registry/documents.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { Language } from '../../platform/documents/document.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';

/** Decisions of a lender against a customer. */
export const DECISIONS = ['declined', 'reduced', 'dearer', 'cancelled'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Written notice before negative information is submitted: regulation 26(1), see `letters.ts`. */
export const NOTICE_DAYS = 30;

type Words = Readonly<Record<Language, string>>;

/** A text with its `{name}`s filled in. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

export const PRODUCTS: Readonly<Record<ProductType, Words>> = {
  A: { en: 'Overdraft', sw: 'Overdrafti' },
  B: { en: 'Credit card', sw: 'Kadi ya mkopo' },
  C: { en: 'Business working capital', sw: 'Mtaji wa biashara' },
  D: { en: 'Business expansion', sw: 'Upanuzi wa biashara' },
  E: { en: 'Mortgage', sw: 'Mkopo wa nyumba' },
  F: { en: 'Asset finance', sw: 'Mkopo wa mali' },
  G: { en: 'Trade finance', sw: 'Mkopo wa uagizaji bidhaa' },
  H: { en: 'Personal loan', sw: 'Mkopo binafsi' },
  I: { en: 'Mobile loan', sw: 'Mkopo wa simu' },
  J: { en: 'Insurance premium', sw: 'Ada ya bima' },
  K: { en: 'Group loan', sw: 'Mkopo wa kikundi' },
  L: { en: 'Uncleared effects', sw: 'Hundi zisizokamilika' },
};

export const SECTOR_NAMES: Readonly<Record<Sector, Words>> = {
  bank: { en: 'Bank', sw: 'Benki' },
  microfinance: { en: 'Microfinance', sw: 'Mikopo midogo' },
  sacco: { en: 'SACCO', sw: 'SACCO' },
  mobile_lender: { en: 'Mobile lender', sw: 'Mikopo ya simu' },
  insurance: { en: 'Insurance', sw: 'Bima' },
  retail: { en: 'Retail', sw: 'Rejareja' },
  utility: { en: 'Utility', sw: 'Huduma' },
  other: { en: 'Other', sw: 'Nyingine' },
};

export const STATUS_NAMES: Readonly<Record<AccountStatus, Words>> = {
  A: { en: 'Closed', sw: 'Imefungwa' },
  B: { en: 'Dormant', sw: 'Haitumiki' },
  C: { en: 'Written off', sw: 'Imefutwa' },
  D: { en: 'Legal action', sw: 'Iko mahakamani' },
  E: { en: 'In collection', sw: 'Inadaiwa' },
  F: { en: 'Open', sw: 'Iko wazi' },
  G: { en: 'Rescheduled', sw: 'Imepangwa upya' },
  H: { en: 'Settled', sw: 'Imelipwa' },
  J: { en: 'Called up', sw: 'Imedaiwa yote' },
  K: { en: 'Suspended', sw: 'Imesimamishwa' },
  L: { en: 'Holder deceased', sw: 'Mwenye amefariki' },
  M: { en: 'Deferred', sw: 'Imeahirishwa' },
  N: { en: 'Not updated', sw: 'Haijasasishwa' },
  P: { en: 'Disputed', sw: 'Inapingwa' },
};

export const DOCUMENT_NAMES: Readonly<Record<DocumentType, Words>> = {
  nationalID: { en: 'National ID', sw: 'Kitambulisho cha taifa' },
  passportNo: { en: 'Passport', sw: 'Pasipoti' },
  serviceID: { en: 'Military ID', sw: 'Kitambulisho cha jeshi' },
  alienID: { en: 'Alien ID', sw: 'Kitambulisho cha mgeni' },
  taxID: { en: 'Tax PIN', sw: 'PIN ya kodi' },
};

/** Specification §4.9, by code. */
export const REPORT_REASONS: Readonly<Record<number, Words>> = {
  1: { en: 'Account opening', sw: 'Kufungua akaunti' },
  2: { en: 'Loan application', sw: 'Ombi la mkopo' },
  3: { en: 'Monitoring of credit', sw: 'Ufuatiliaji wa mkopo' },
  4: { en: 'Verification', sw: 'Uthibitishaji' },
  5: { en: 'Overdraft', sw: 'Overdrafti' },
  6: { en: 'Credit card', sw: 'Kadi ya mkopo' },
  7: { en: 'Business working capital', sw: 'Mtaji wa biashara' },
  8: { en: 'Business expansion', sw: 'Upanuzi wa biashara' },
  9: { en: 'Mortgage', sw: 'Mkopo wa nyumba' },
  10: { en: 'Asset finance', sw: 'Mkopo wa mali' },
  11: { en: 'Trade finance', sw: 'Mkopo wa uagizaji bidhaa' },
  12: { en: 'Mobile banking loan', sw: 'Mkopo wa benki kwa simu' },
};

/** Names the parts of a score in a few words. */
export const PARTS: Readonly<Record<CharacteristicName, Words>> = {
  nonPerformingAccounts: { en: 'Accounts in default now', sw: 'Akaunti zisizolipwa sasa' },
  everNonPerformingAccounts: { en: 'Accounts ever in default', sw: 'Akaunti zilizowahi kutolipwa' },
  monthsSinceNonPerforming: { en: 'Time since the last default', sw: 'Muda tangu kutolipa' },
  accountsWrittenOff: { en: 'Accounts written off', sw: 'Akaunti zilizofutwa' },
  worstArrearsDays12: { en: 'Late payment, last 12 months', sw: 'Kuchelewa, miezi 12 iliyopita' },
  worstArrearsDays24: { en: 'Late payment, last 24 months', sw: 'Kuchelewa, miezi 24 iliyopita' },
  worstMobileArrearsDays12: { en: 'Mobile loans repaid late', sw: 'Mikopo ya simu iliyochelewa' },
  instalmentsInArrears: { en: 'Unpaid instalments', sw: 'Awamu ambazo hazijalipwa' },
  repaidSharePercent: { en: 'Share of loans repaid', sw: 'Sehemu ya mikopo iliyolipwa' },
  monthsOfGoodHistory: { en: 'Length of good history', sw: 'Muda wa historia nzuri' },
  accountsRepaid: { en: 'Accounts repaid on time', sw: 'Akaunti zilizolipwa kwa wakati' },
  mobileLoansRepaid: { en: 'Mobile loans repaid on time', sw: 'Mikopo ya simu iliyolipwa' },
  largestMobileLoanRepaid: {
    en: 'Largest mobile loan repaid',
    sw: 'Mkopo mkubwa wa simu uliolipwa',
  },
  openAccounts: { en: 'Accounts open now', sw: 'Akaunti zilizo wazi sasa' },
  openMobileLoans: { en: 'Mobile loans open now', sw: 'Mikopo ya simu iliyo wazi sasa' },
  mobileLoansOpened90Days: { en: 'New mobile loans, 90 days', sw: 'Mikopo mipya ya simu, siku 90' },
  lendersOfNewAccounts12: { en: 'New lenders, 12 months', sw: 'Wakopeshaji wapya, miezi 12' },
  applications30Days: { en: 'Applications, last 30 days', sw: 'Maombi ya mkopo, siku 30' },
  applications90Days: { en: 'Applications, last 90 days', sw: 'Maombi ya mkopo, siku 90' },
};

/** The reasons of `CHARACTERISTICS` in Swahili. */
export const SWAHILI_REASONS: Readonly<Record<CharacteristicName, string>> = {
  nonPerformingAccounts: 'Akaunti moja au zaidi haijalipwa na imechelewa sana',
  everNonPerformingAccounts: 'Akaunti moja au zaidi haijalipwa, au haikulipwa wakati fulani',
  monthsSinceNonPerforming: 'Kuna akaunti ambayo haijalipwa, au haikulipwa muda si mrefu uliopita',
  accountsWrittenOff: 'Mkopeshaji alifuta akaunti kwa kuwa haikulipwa',
  worstArrearsDays12: 'Malipo yalichelewa katika miezi 12 iliyopita',
  worstArrearsDays24: 'Malipo yalichelewa katika miezi 24 iliyopita',
  worstMobileArrearsDays12: 'Mikopo ya simu ililipwa kwa kuchelewa katika miezi 12 iliyopita',
  instalmentsInArrears: 'Kuna awamu ambazo hazijalipwa',
  repaidSharePercent: 'Sehemu ya mikopo bado haijalipwa, au haikulipwa kwa wakati',
  monthsOfGoodHistory: 'Historia ya akaunti zilizotunzwa vizuri bado si ndefu',
  accountsRepaid: 'Ni akaunti chache zilizolipwa zote kwa wakati',
  mobileLoansRepaid: 'Ni mikopo michache ya simu iliyolipwa yote kwa wakati',
  largestMobileLoanRepaid:
    'Mkopo mkubwa zaidi wa simu uliolipwa wote kwa wakati ulikuwa mdogo, au hakuna',
  openAccounts: 'Akaunti moja au zaidi iko wazi',
  openMobileLoans: 'Mkopo mmoja au zaidi wa simu uko wazi',
  mobileLoansOpened90Days: 'Mikopo ya simu ilichukuliwa katika siku 90 zilizopita',
  lendersOfNewAccounts12:
    'Akaunti mpya zilifunguliwa na mkopeshaji mmoja au zaidi katika miezi 12 iliyopita',
  applications30Days: 'Kuna ombi moja au zaidi la mkopo katika siku 30 zilizopita',
  applications90Days: 'Kuna ombi moja au zaidi la mkopo katika siku 90 zilizopita',
};

/** The text that bureaus must print with a score by law. */
export const SOLE_REASON_NOTICE: Words = {
  en: 'A customer’s credit score should not be used as the sole reason by a lender to deny a customer a loan.',
  sw: 'Alama ya mikopo ya mteja haipaswi kuwa sababu pekee ya mkopeshaji kumnyima mteja mkopo.',
};

/** Sentences and labels of the report on a person, for that person. */
export const REPORT_WORDS = {
  en: {
    title: 'Your credit report',
    prepared: 'Prepared',
    reference: 'Reference',
    intro:
      'This report shows what lenders have submitted about you, the score that follows from it, and who asked about you. It is for you: show it only to people you trust.',
    personal: 'Your details',
    name: 'Name',
    otherNames: 'Other names',
    born: 'Date of birth',
    documents: 'Documents',
    phones: 'Phones',
    addresses: 'Addresses',
    none: 'None',
    genericScore: 'Your credit score',
    mobileScore: 'Your mobile-loan score',
    whatScoreIs:
      'A score is a number from 1 to 1000. The higher it is, the more likely it is that loans are repaid. It is computed from your accounts and applications only: never from your age, gender or name.',
    scoreIs:
      'Your score is {score}, grade {grade} on a scale from AA (best) to JJ. Of 1000 people with this score, about {bad} are {days} days late or more within the next {months} months.',
    cardIs: 'Scorecard {card}. Made from: {population}.',
    cardIsExample:
      'EXAMPLE. The scorecard {card} was not made from what became of real loans, so the score and the number above say nothing about real people. Made from: {population}.',
    scaleChart: 'Score {score} of 1000, grade {grade}',
    reasons: 'What lowers this score most:',
    noReasons: 'Nothing on file lowers this score noticeably.',
    madeOf: 'What the score is made of: the points you have, and the most there could be.',
    base: 'Everybody starts with {base} points. The score is never below 1 nor above 1000.',
    disputedLeftOut: 'Accounts under dispute are left out of this score.',
    noHistory:
      'There is no score, because there is no account on file that a score could rest on. That is not a bad mark: it only means that there is no history of credit yet.',
    deceased:
      'This person is recorded as deceased. There is no score of a deceased person. If this is a mistake, tell us at once: see “Your rights”.',
    summary: 'Summary',
    open: 'Open accounts',
    closed: 'Closed accounts',
    inDefault: 'Accounts in default',
    disputed: 'Accounts under dispute',
    balance: 'Total balance (KES)',
    overdue: 'Total overdue (KES)',
    worst: 'Most days in arrears on file',
    applications: 'Applications for credit in 90 days',
    accounts: 'Your accounts',
    noAccounts: 'No account is on file.',
    guarantees: 'Loans that you guarantee for others',
    guaranteesNote:
      'You owe these only if the lender calls on your guarantee. They are not part of your scores; lenders see their number and what is still owed.',
    lender: 'Lender',
    type: 'Type',
    opened: 'Opened',
    original: 'Amount',
    accountBalance: 'Balance',
    accountOverdue: 'Overdue',
    days: 'Days late',
    status: 'Status',
    asOf: 'As of',
    accountsNote:
      'Amounts are in KES. “As of” is the day for which the lender last reported the account.',
    bought:
      'The debt to {lender} that was opened on {opened} was with {former} before. It was sold, and counts once, with its whole history.',
    hidden:
      'Late payments on accounts marked * are on file, but are neither shown to lenders nor held against you.',
    who: 'Who asked about you',
    nobodyAsked: 'Nobody has asked about you.',
    otherName: 'under another name',
    watches: '{who} has been watching your file since {since}, and is notified of what changes.',
    when: 'When',
    askedBy: 'Who',
    sector: 'Sector',
    why: 'Why',
    disputes: 'Your disputes',
    noDisputes: 'There is no dispute.',
    openedOn: 'Opened',
    account: 'Account',
    statement: 'Your statement',
    outcome: 'Outcome',
    pending: 'Open',
    outcomes: { upheld: 'Upheld', rejected: 'Rejected', withdrawn: 'Withdrawn' },
    corrections: 'Lenders have corrected what they reported about you {count} times.',
    rights: 'Your rights',
    rightsList: [
      'You may dispute anything in this report that is wrong. While a dispute is open, the account is marked and no default on it is held against you. You may add a statement of up to 100 words.',
      'A lender must give you at least 30 days’ written notice before it submits negative information about you (regulation 26(1)).',
      'A lender that refuses you credit, or gives you worse terms, because of this information must tell you so in an adverse action notice (regulation 2).',
      'You may ask for a decision that was not made by a computer alone (Data Protection Act, 2019).',
    ],
    law: 'Regulations: the Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020).',
  },
  sw: {
    title: 'Taarifa yako ya mikopo',
    prepared: 'Imeandaliwa',
    reference: 'Namba ya marejeo',
    intro:
      'Taarifa hii inaonyesha yale ambayo wakopeshaji wamewasilisha kukuhusu, alama inayotokana nayo, na waliouliza kukuhusu. Ni yako: waonyeshe tu watu unaowaamini.',
    personal: 'Maelezo yako',
    name: 'Jina',
    otherNames: 'Majina mengine',
    born: 'Tarehe ya kuzaliwa',
    documents: 'Vitambulisho',
    phones: 'Simu',
    addresses: 'Anwani',
    none: 'Hakuna',
    genericScore: 'Alama yako ya mikopo',
    mobileScore: 'Alama yako ya mikopo ya simu',
    whatScoreIs:
      'Alama ni namba kutoka 1 hadi 1000. Kadiri alama inavyokuwa juu, ndivyo uwezekano wa mikopo kulipwa unavyokuwa mkubwa. Inatokana na akaunti na maombi yako ya mikopo tu: kamwe si umri, jinsia wala jina lako.',
    scoreIs:
      'Alama yako ni {score}, daraja {grade} kati ya AA (bora zaidi) hadi JJ. Kati ya watu 1000 wenye alama hii, takriban {bad} huchelewa kulipa kwa siku {days} au zaidi ndani ya miezi {months} ijayo.',
    cardIs: 'Kadi ya alama {card}. Imetokana na: {population}.',
    cardIsExample:
      'MFANO. Kadi ya alama {card} haikutokana na matokeo ya mikopo halisi, kwa hiyo alama na namba iliyo juu havisemi lolote kuhusu watu halisi. Imetokana na: {population}.',
    scaleChart: 'Alama {score} kati ya 1000, daraja {grade}',
    reasons: 'Mambo yanayopunguza alama hii zaidi:',
    noReasons: 'Hakuna jambo kwenye kumbukumbu linalopunguza alama hii kwa kiasi kikubwa.',
    madeOf: 'Jinsi alama inavyopatikana: pointi ulizo nazo, na za juu zaidi zinazowezekana.',
    base: 'Kila mtu huanza na pointi {base}. Alama haishuki chini ya 1 wala kupita 1000.',
    disputedLeftOut: 'Akaunti zinazopingwa hazihesabiwi katika alama hii.',
    noHistory:
      'Hakuna alama, kwa sababu hakuna akaunti kwenye kumbukumbu ambayo alama inaweza kutegemea. Hili si jambo baya: linamaanisha tu kwamba bado hakuna historia ya mikopo.',
    deceased:
      'Mtu huyu ameandikwa kuwa amefariki. Hakuna alama ya mtu aliyefariki. Ikiwa hili ni kosa, tuambie mara moja: tazama “Haki zako”.',
    summary: 'Muhtasari',
    open: 'Akaunti zilizo wazi',
    closed: 'Akaunti zilizofungwa',
    inDefault: 'Akaunti zisizolipwa',
    disputed: 'Akaunti zinazopingwa',
    balance: 'Jumla ya salio (KES)',
    overdue: 'Jumla iliyochelewa (KES)',
    worst: 'Siku nyingi zaidi za kuchelewa',
    applications: 'Maombi ya mkopo katika siku 90',
    accounts: 'Akaunti zako',
    noAccounts: 'Hakuna akaunti kwenye kumbukumbu.',
    guarantees: 'Mikopo ya wengine ambayo umeidhamini',
    guaranteesNote:
      'Unadaiwa mikopo hii tu ikiwa mkopeshaji ataitisha dhamana yako. Haihesabiwi katika alama zako; wakopeshaji huona idadi yake na kiasi ambacho bado kinadaiwa.',
    lender: 'Mkopeshaji',
    type: 'Aina',
    opened: 'Tangu',
    original: 'Kiasi',
    accountBalance: 'Salio',
    accountOverdue: 'Limechelewa',
    days: 'Siku',
    status: 'Hali',
    asOf: 'Hadi tarehe',
    accountsNote:
      'Kiasi ni kwa KES. “Hadi tarehe” ni siku ambayo mkopeshaji aliripoti akaunti mara ya mwisho. “Siku” ni siku za kuchelewa.',
    bought:
      'Deni la {lender} lililofunguliwa {opened} lilikuwa kwa {former} hapo awali. Liliuzwa, na huhesabiwa mara moja, pamoja na historia yake yote.',
    hidden:
      'Malipo yaliyochelewa kwenye akaunti zenye alama ya * yako kwenye kumbukumbu, lakini hayaonyeshwi kwa wakopeshaji wala hayahesabiwi dhidi yako.',
    who: 'Waliouliza kukuhusu',
    nobodyAsked: 'Hakuna aliyeuliza kukuhusu.',
    otherName: 'kwa jina lingine',
    watches: '{who} anafuatilia taarifa zako tangu {since}, na hujulishwa mabadiliko.',
    when: 'Lini',
    askedBy: 'Nani',
    sector: 'Sekta',
    why: 'Sababu',
    disputes: 'Malalamiko yako',
    noDisputes: 'Hakuna malalamiko.',
    openedOn: 'Tarehe',
    account: 'Akaunti',
    statement: 'Maelezo yako',
    outcome: 'Matokeo',
    pending: 'Bado',
    outcomes: { upheld: 'Limekubaliwa', rejected: 'Limekataliwa', withdrawn: 'Limeondolewa' },
    corrections: 'Wakopeshaji wamesahihisha walichoripoti kukuhusu mara {count}.',
    rights: 'Haki zako',
    rightsList: [
      'Unaweza kupinga jambo lolote lisilo sahihi katika taarifa hii. Wakati pingamizi liko wazi, akaunti huwekewa alama na haihesabiwi dhidi yako. Unaweza kuongeza maelezo ya hadi maneno 100.',
      'Mkopeshaji lazima akupe notisi ya maandishi ya angalau siku 30 kabla ya kuwasilisha taarifa mbaya kukuhusu (kanuni ya 26(1)).',
      'Mkopeshaji anayekunyima mkopo, au kukupa masharti mabaya zaidi, kwa sababu ya taarifa hii lazima akujulishe kwa notisi (kanuni ya 2).',
      'Unaweza kuomba uamuzi ambao haukufanywa na kompyuta pekee (Sheria ya Ulinzi wa Data, 2019).',
    ],
    law: 'Kanuni: Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020).',
  },
} as const satisfies Record<Language, object>;
