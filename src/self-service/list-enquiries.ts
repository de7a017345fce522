import { Type } from 'typebox';
import type { Static } from 'typebox';
import { listEnquiries as readEnquiries } from '../credit/enquiries/read-enquiries.ts';
import type { ListedEnquiry } from '../credit/enquiries/read-enquiries.ts';
import { disclosedOutcome } from '../credit/enquiries/disclosure.ts';
import { nameDiffers } from '../credit/matching/match.ts';
import { ENQUIRY_OUTCOMES } from '../credit/enquiries/record.ts';
import type { EnquiryOutcome } from '../credit/enquiries/record.ts';
import type { EnquiryPolicy } from '../parties/vendor.ts';
import { parameter } from '../platform/http/parameter.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { nullable } from '../platform/http/schemas.ts';
import { readPage } from './page.ts';
import { readPeriod } from './period.ts';
import { readerOf, resource } from './resource.ts';
import { readAllCards } from '../credit/governance/cards.ts';
import { factsOf } from '../credit/scorecards/card-facts.ts';
import type { Scorecard } from '../credit/scorecards/scorecard.ts';
import type { SelfServiceDeps } from './resource.ts';
import { instant, pageOf, paging, period } from './schemas.ts';

const enquiry = Type.Object({
  sequence: Type.String({
    description: 'The number of the enquiry among yours.',
    examples: ['17'],
  }),
  at: instant('When the enquiry was made.'),
  operation: Type.String({ examples: ['generic-score'] }),
  request_reference: Type.String({ description: 'Your own reference, `requestReference`.' }),
  report_reason: Type.Integer({ examples: [2] }),
  outcome: Type.String({
    description: `One of ${ENQUIRY_OUTCOMES.map((outcome) => `\`${outcome}\``).join(', ')}. If your enquiries are strict, \`mismatch\` and \`conflict\` are listed as \`not_found\`.`,
    examples: ['answered'],
  }),
  customer: nullable(
    Type.String({ description: 'The last three digits of the customer’s reference (`crn`).' }),
  ),
  name_differs: Type.Boolean({
    description:
      'True: the customer was found under another name than the one on file, as after a marriage. Check the document.',
  }),
  grade: nullable(Type.String({ examples: ['BB'] })),
  scorecard: nullable(
    Type.Object(
      {
        card: Type.String({ examples: ['malipo-generic@3'] }),
        example: Type.Boolean({
          description:
            'True: the card was not made from what became of real loans, so its scores and probabilities are examples.',
        }),
        horizon_months: Type.Integer({
          description: 'The probability is that of a default within so many months.',
        }),
        default_days: Type.Integer({ description: 'A default is so many days late.' }),
        population: Type.String({ description: 'The people that the card was made from.' }),
      },
      { description: 'The scorecard of the score; null if the registry gave none.' },
    ),
  ),
  erased: Type.Boolean({ description: 'True: request and answer have been erased.' }),
});

const SHOWN_DIGITS = 3;
const NAME = 'listEnquiries';

export function listEnquiries(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/enquiries',
    summary: 'List enquiries',
    description: 'Your enquiries about customers, newest first, without personal data.',
    query: Type.Object({
      ...period,
      outcome: Type.Optional(
        parameter(
          new RegExp(`^(${ENQUIRY_OUTCOMES.join('|')})$`),
          `one of ${ENQUIRY_OUTCOMES.join(', ')}`,
          'Enquiries with this outcome.',
        ),
      ),
      request_reference: Type.Optional(
        parameter(
          /^[A-Za-z0-9]{1,64}$/,
          'up to 64 letters and digits',
          'Your own reference of the enquiry.',
        ),
      ),
      ...paging,
    }),
    response: Type.Object(pageOf(enquiry)),
    refusals: {},
    example: {
      query: { outcome: 'answered' },
      answer: {
        items: [EXAMPLE],
        next_cursor: null,
      },
    },
    handle: async ({ query }, context) => {
      const { vid, vendorId, enquiryPolicy } = context.signer;
      const { from, to: until } = readPeriod(query, deps);
      const list = { list: NAME, owner: vid, query, reader: readerOf(context) };
      const cards = await readAllCards(deps.pool);
      return await readPage(deps, list, {
        read: async (after: string | undefined, limit) =>
          await readEnquiries(deps.pool, vendorId, {
            from,
            until,
            outcomes: outcomesShownAs(query.outcome, enquiryPolicy),
            requestReference: query.request_reference,
            after: after === undefined ? undefined : BigInt(after),
            limit,
          }),
        positionOf: ({ sequence }) => String(sequence),
        view: (row) => enquiryView(row, enquiryPolicy, cards),
      });
    },
  });
}

/** The recorded outcomes that the vendor sees as this one; undefined: all. */
function outcomesShownAs(
  shown: string | undefined,
  policy: EnquiryPolicy,
): EnquiryOutcome[] | undefined {
  if (shown === undefined) return undefined;
  return ENQUIRY_OUTCOMES.filter((outcome) => disclosedOutcome(outcome, policy) === shown);
}

function enquiryView(
  row: ListedEnquiry,
  policy: EnquiryPolicy,
  cards: ReadonlyMap<string, Scorecard>,
): Static<typeof enquiry> {
  return {
    sequence: String(row.sequence),
    at: row.enquiredAt.toISOString(),
    operation: row.operation,
    request_reference: row.requestReference,
    report_reason: row.reportReason,
    outcome: disclosedOutcome(row.outcome, policy),
    customer: row.crn === null ? null : row.crn.slice(-SHOWN_DIGITS),
    name_differs: nameDiffers(row.matchRule),
    grade: row.grade,
    scorecard: scorecardView(row.scorecard === null ? undefined : cards.get(row.scorecard)),
    erased: row.erased,
  };
}

function scorecardView(card: Scorecard | undefined): Static<typeof enquiry>['scorecard'] {
  if (card === undefined) return null;
  const { card: name, isExample, horizonMonths, defaultDays, population } = factsOf(card);
  return {
    ...{ card: name, example: isExample, horizon_months: horizonMonths },
    ...{ default_days: defaultDays, population },
  };
}

const EXAMPLE: Static<typeof enquiry> = {
  sequence: '17',
  at: '2026-11-21T06:15:00.000Z',
  operation: 'generic-score',
  request_reference: 'LOAN2031',
  report_reason: 2,
  outcome: 'answered',
  customer: '417',
  name_differs: false,
  grade: 'BB',
  scorecard: {
    ...{ card: 'malipo-generic@3', example: true, horizon_months: 12, default_days: 90 },
    population: 'Synthetic population of the sandbox, 240,000 people, seed 1',
  },
  erased: false,
};
