import { Type } from 'typebox';
import { formatMoney } from '../../platform/base/money.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { DETAIL_NAMES } from '../summary/details.ts';
import { GENERIC_COUNTS, genericSummary } from '../summary/summary.ts';
import { pairs, plainText } from './answer-schema.ts';
import { NOTICE, summaryDetailsOf } from './answers.ts';
import type { AnswerContext } from './answers.ts';
import * as examples from './examples.ts';
import { common, enquire } from './enquiry.ts';
import type { ScoringDeps } from './enquiry.ts';
import { SCORE_NEEDS, scoreAnswer, scoreRequest, scoreResponse } from './score-answer.ts';

const response = scoreResponse({
  summary: Type.Object(pairs([...GENERIC_COUNTS, ...DETAIL_NAMES])),
  account: { arrearAmount: plainText('Overdue amount in KES.') },
  phone: {},
  score: 'positiveScore',
});

/** Specification §4.11. */
export function genericScore(
  deps: ScoringDeps,
): Operation<typeof scoreRequest, typeof response, Vendor> {
  return {
    ...common(deps),
    path: '/generic-score',
    name: 'genericScore',
    summary: 'Generic score',
    description: `Profile, counts of accounts, account and phone lists, and the generic score. ${SCORE_NEEDS}`,
    request: scoreRequest,
    response,
    example: {
      request: {
        vid: 'demo',
        requestReference: 'ENQ20261121B',
        reportReason: '2',
        reportSector: '2',
        ...examples.NAMES,
        nationalID: examples.NATIONAL_ID,
      },
      answer: {
        ...examples.head('ENQ20261121B'),
        profile: examples.PROFILE,
        summary: { ...examples.COUNTS, ...examples.DETAILS },
        account_list: examples.STATUSES.map((status) => ({
          accountStatus: status,
          arrearAmount: '0.00',
          ...examples.FLAGS,
          ...examples.ACCOUNT_DETAILS,
        })),
        phone_list: examples.PHONES,
        score: {
          grade: 'BB',
          positiveScore: '793',
          probability: '1.69',
          reasonCodeAARC1: 'One or more accounts are open',
          reasonCodeAARC2: 'Few accounts were repaid in full and on time',
          reasonCodeAARC3: 'No further reason',
          reasonCodeAARC4: 'No further reason',
        },
        notice: NOTICE,
        ...examples.TAIL,
      },
    },
    handle: (asked, vendor, signature) =>
      enquire(deps, 'generic-score', {
        request: asked,
        vendor,
        signature,
        present: presentGeneric,
      }),
  };
}

/** The body of an answer. */
export function presentGeneric(finding: BureauFinding, context: AnswerContext) {
  return scoreAnswer(finding, context, {
    summary: {
      ...genericSummary(finding.file, context.scope),
      ...summaryDetailsOf(finding, context),
    },
    accountOf: ({ arrearCents }) => ({ arrearAmount: formatMoney(arrearCents) }),
    phoneOf: () => ({}),
    score: 'positiveScore',
  });
}
