import { amount } from './subject-document.ts';
import type { Block, Language, ReportDocument } from '../../platform/documents/document.ts';
import type { CardFacts } from '../scorecards/card-facts.ts';
import { REPORT_REASONS, REPORT_WORDS, SOLE_REASON_NOTICE, fill } from './words.ts';
import type { Decision } from './words.ts';

/**
 * Letters about credit information, as drafts that the sender completes and signs. Sources:
 * Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020), regulation 2
 * (adverse action notice) and regulation 26(1) (30 days’ notice before negative information is
 * submitted). docs/guide/credit-letters.md.
 */

interface Letter {
  readonly language: Language;
  readonly madeAt: Date;
  /** `YYYY-MM-DD`, in the reader's time zone. */
  readonly today: string;
}

export interface AdverseAction extends Letter {
  readonly lender: string;
  readonly customer: string;
  readonly decision: Decision;
  /** The enquiry that the decision is based on. */
  readonly enquiry: { readonly reference: string; readonly day: string };
  /** Empty where there is no score. */
  readonly score: string;
  readonly grade: string;
  /** Probability of a default, in per cent. */
  readonly probability: string;
  /** Facts about the scorecard; null: it is an upstream bureau's. */
  readonly card: CardFacts | null;
  readonly reasons: readonly string[];
  /** The contact for questions about the information. */
  readonly contact: string;
}

const ADVERSE = {
  en: {
    title: 'Adverse action notice',
    dear: 'Dear {customer},',
    decisions: {
      declined: 'we are unable to grant the credit that you applied for.',
      reduced: 'we can grant only part of the credit that you applied for.',
      dearer: 'we can grant credit only at a higher charge or on less favourable terms.',
      cancelled: 'we are cancelling or reducing a credit facility that you have with us.',
    },
    because:
      'Our decision is based, in whole or in part, on information about you that we obtained from a credit reference bureau on {day} (reference {reference}).',
    score: 'Your credit score was {score}, grade {grade}, on a scale from 1 to 1000.',
    estimate:
      'Of 1000 people with this score, about {bad} are {days} or more days late with a payment within {months} months.',
    reasons: 'The main reasons that the bureau gave are:',
    noReasons: 'The bureau gave no particular reason.',
    rights: 'Your rights',
    rightsList: [
      'You may obtain your credit report from the bureau: {contact}.',
      'If anything in it is wrong or incomplete, you may dispute it with the bureau or with the lender that submitted it, and add a statement of your own.',
      'You may ask us to have a person review a decision that a computer made alone.',
    ],
    regards: 'Yours faithfully,\n{lender}',
    law: 'This notice is given under the Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020), regulation 2.',
  },
  sw: {
    title: 'Notisi ya uamuzi usiokufaa',
    dear: 'Mpendwa {customer},',
    decisions: {
      declined: 'hatuwezi kukupa mkopo ulioomba.',
      reduced: 'tunaweza kukupa sehemu tu ya mkopo ulioomba.',
      dearer: 'tunaweza kukupa mkopo kwa gharama ya juu zaidi au kwa masharti magumu zaidi tu.',
      cancelled: 'tunafuta au kupunguza mkopo ulio nao kwetu.',
    },
    because:
      'Uamuzi wetu unategemea, wote au kwa sehemu, taarifa kukuhusu tuliyopata kutoka shirika la taarifa za mikopo tarehe {day} (namba ya marejeo {reference}).',
    score: 'Alama yako ya mikopo ilikuwa {score}, daraja {grade}, kati ya 1 na 1000.',
    estimate:
      'Kati ya watu 1000 wenye alama hii, takriban {bad} huchelewa kulipa kwa siku {days} au zaidi ndani ya miezi {months}.',
    reasons: 'Sababu kuu zilizotolewa na shirika hilo ni:',
    noReasons: 'Shirika hilo halikutoa sababu maalumu.',
    rights: 'Haki zako',
    rightsList: [
      'Unaweza kupata taarifa yako ya mikopo kutoka shirika hilo: {contact}.',
      'Ikiwa kuna jambo lisilo sahihi au lisilokamilika, unaweza kulipinga kwa shirika hilo au kwa mkopeshaji aliyeliwasilisha, na kuongeza maelezo yako.',
      'Unaweza kutuomba uamuzi uliofanywa na kompyuta pekee uangaliwe na mtu.',
    ],
    regards: 'Wako mwaminifu,\n{lender}',
    law: 'Notisi hii inatolewa chini ya Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020), kanuni ya 2.',
  },
} as const;

/** The notice that a lender sends when it decides against a customer because of an enquiry. */
export function adverseActionNotice(letter: AdverseAction): ReportDocument {
  const words = ADVERSE[letter.language];
  const { customer, lender, score, grade, contact, enquiry, reasons } = letter;
  return document(letter, words.title, [
    paragraph(letter.today),
    paragraph(fill(words.dear, { customer })),
    paragraph(words.decisions[letter.decision]),
    paragraph(fill(words.because, enquiry)),
    ...(score === ''
      ? []
      : [paragraph(fill(words.score, { score, grade })), ...cardBlocks(letter)]),
    ...(reasons.length === 0
      ? [paragraph(words.noReasons)]
      : [paragraph(words.reasons), { kind: 'list', items: reasons } as const]),
    { kind: 'note', text: SOLE_REASON_NOTICE[letter.language] },
    { kind: 'heading', text: words.rights },
    { kind: 'list', items: words.rightsList.map((right) => fill(right, { contact })) },
    paragraph(fill(words.regards, { lender })),
    paragraph(words.law),
  ]);
}

/** Explains the score's estimate and its basis. */
function cardBlocks({ card, probability, language }: AdverseAction): Block[] {
  if (card === null) return [];
  const words = REPORT_WORDS[language];
  const { card: name, population, isExample } = card;
  const estimate = {
    bad: String(Math.round(Number(probability) * 10)),
    days: String(card.defaultDays),
    months: String(card.horizonMonths),
  };
  const text = isExample ? words.cardIsExample : words.cardIs;
  return [
    paragraph(fill(ADVERSE[language].estimate, estimate)),
    { kind: 'note', text: fill(text, { card: name, population }) },
  ];
}

export interface PreListing extends Letter {
  readonly lender: string;
  readonly customer: string;
  readonly accountNumber: string;
  readonly overdueCents: bigint;
  readonly daysInArrears: number;
  /** The first day on which the information may be submitted, `YYYY-MM-DD`. */
  readonly submitFrom: string;
}

const PRE_LISTING = {
  en: {
    title: 'Notice before negative information is submitted',
    dear: 'Dear {customer},',
    owed: 'On your account {account} with us, KES {amount} is overdue, by {days} days.',
    will: 'Unless this is paid, or agreed with us otherwise, we will submit it to the licensed credit reference bureaus on or after {from}: 30 days after the date of this notice.',
    effect:
      'Other lenders will then see it when you apply for credit, and it may lower your credit score.',
    options:
      'If you cannot pay at once, or if you believe this is wrong, tell us before that date: we will agree a plan with you, or correct our records.',
    regards: 'Yours faithfully,\n{lender}',
    law: 'This notice is given under the Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020), regulation 26(1).',
  },
  sw: {
    title: 'Notisi kabla ya kuwasilisha taarifa mbaya ya mkopo',
    dear: 'Mpendwa {customer},',
    owed: 'Katika akaunti yako {account} kwetu, KES {amount} imechelewa kulipwa kwa siku {days}.',
    will: 'Isipolipwa, au tusipokubaliana vinginevyo, tutaiwasilisha kwa mashirika ya taarifa za mikopo yenye leseni tarehe {from} au baadaye: siku 30 baada ya tarehe ya notisi hii.',
    effect:
      'Wakopeshaji wengine wataiona utakapoomba mkopo, na inaweza kupunguza alama yako ya mikopo.',
    options:
      'Ikiwa huwezi kulipa mara moja, au unaamini kwamba hili si sahihi, tuambie kabla ya tarehe hiyo: tutakubaliana nawe mpango wa malipo, au tutasahihisha kumbukumbu zetu.',
    regards: 'Wako mwaminifu,\n{lender}',
    law: 'Notisi hii inatolewa chini ya Banking (Credit Reference Bureau) Regulations, 2020 (Legal Notice 55 of 2020), kanuni ya 26(1).',
  },
} as const;

/** The notice that a lender sends before it submits an account in default for the first time. */
export function preListingNotice(letter: PreListing): ReportDocument {
  const words = PRE_LISTING[letter.language];
  const { customer, lender } = letter;
  return document(letter, words.title, [
    paragraph(letter.today),
    paragraph(fill(words.dear, { customer })),
    paragraph(
      fill(words.owed, {
        account: letter.accountNumber,
        amount: amount(letter.overdueCents),
        days: String(letter.daysInArrears),
      }),
    ),
    paragraph(fill(words.will, { from: letter.submitFrom })),
    paragraph(words.effect),
    paragraph(words.options),
    paragraph(fill(words.regards, { lender })),
    paragraph(words.law),
  ]);
}

export interface Consent extends Letter {
  readonly lender: string;
  /** The vendor's reference of its record of the consent; empty where none was given. */
  readonly consentReference: string;
  readonly consentDate: string;
  readonly enquiry: {
    readonly id: string;
    readonly reference: string;
    readonly time: string;
    readonly operation: string;
    readonly reportReason: number;
  };
}

const CONSENT = {
  en: {
    title: 'Consent receipt',
    intro:
      'This receipt shows what your consent to a credit enquiry was used for. Keep it: it identifies the enquiry.',
    lender: 'Who asked',
    purpose: 'Purpose',
    consent: 'Your consent, as the lender recorded it',
    consentDate: 'Given on',
    notGiven: 'Not recorded',
    time: 'Enquiry made on',
    id: 'Enquiry',
    reference: 'The lender’s reference',
    operation: 'Kind of enquiry',
    rights:
      'You may withdraw your consent for the future with the lender, and ask us who has asked about you (Data Protection Act, 2019).',
  },
  sw: {
    title: 'Stakabadhi ya ridhaa',
    intro:
      'Stakabadhi hii inaonyesha ridhaa yako ya kuulizwa taarifa za mikopo ilitumika kwa nini. Itunze: inatambulisha ulizo hilo.',
    lender: 'Aliyeuliza',
    purpose: 'Sababu',
    consent: 'Ridhaa yako, kama mkopeshaji alivyoiandika',
    consentDate: 'Ilitolewa tarehe',
    notGiven: 'Haikuandikwa',
    time: 'Ulizo lilifanywa tarehe',
    id: 'Ulizo',
    reference: 'Namba ya marejeo ya mkopeshaji',
    operation: 'Aina ya ulizo',
    rights:
      'Unaweza kuondoa ridhaa yako kwa siku zijazo kwa mkopeshaji, na kutuuliza ni nani ameuliza kukuhusu (Sheria ya Ulinzi wa Data, 2019).',
  },
} as const;

/** Tells the person who gave a consent about its use. */
export function consentReceipt(letter: Consent): ReportDocument {
  const words = CONSENT[letter.language];
  const { enquiry, language } = letter;
  return document(letter, words.title, [
    paragraph(letter.today),
    paragraph(words.intro),
    {
      kind: 'facts',
      rows: [
        [words.lender, letter.lender],
        [words.purpose, REPORT_REASONS[enquiry.reportReason]?.[language] ?? ''],
        [words.consent, letter.consentReference || words.notGiven],
        [words.consentDate, letter.consentDate || words.notGiven],
        [words.time, enquiry.time],
        [words.operation, enquiry.operation],
        [words.id, enquiry.id],
        [words.reference, enquiry.reference],
      ],
    },
    paragraph(words.rights),
  ]);
}

function document({ language, madeAt }: Letter, title: string, blocks: Block[]): ReportDocument {
  return { title, language, madeAt, footer: title, blocks };
}

function paragraph(text: string): Block {
  return { kind: 'paragraph', text };
}
