import { Type } from 'typebox';
import type { Vendor } from '../../parties/vendor.ts';
import { isoDay } from '../../platform/base/days.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { nullable } from '../../platform/http/schemas.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { DETAIL_NAMES } from '../summary/details.ts';
import { MOBILE_AMOUNTS, MOBILE_COUNTS, mobileSummary } from '../summary/summary.ts';
import { isoTime, pairs } from './answer-schema.ts';
import { NOTICE, dayOnWire, summaryDetailsOf } from './answers.ts';
import type { AnswerContext } from './answers.ts';
import * as examples from './examples.ts';
import { common, enquire } from './enquiry.ts';
import type { ScoringDeps } from './enquiry.ts';
import { SCORE_NEEDS, scoreAnswer, scoreRequest, scoreResponse } from './score-answer.ts';

const response = scoreResponse({
  summary: Type.Object({
    ...pairs([...MOBILE_AMOUNTS, ...MOBILE_COUNTS, ...DETAIL_NAMES]),
    lastMobileLoanListingDate: Type.Object({
      otherSectors: nullable(isoTime('Null if there is no such loan.')),
    }),
  }),
  account: {},
  phone: { createDate: isoTime('The date since which the phone number is on file.') },
  score: 'mobiLoansScore',
});

/** Specification §4.12. */
export function mobileLoanScore(
  deps: ScoringDeps,
): Operation<typeof scoreRequest, typeof response, Vendor> {
  return {
    ...common(deps),
    path: '/mobile-loan-score',
    name: 'mobileLoanScore',
    summary: 'Mobile-loan score',
    description: `Profile, counts and amounts with those of mobile loans, account and phone lists, and the mobile-loan score. ${SCORE_NEEDS}`,
    request: scoreRequest,
    response,
    example: {
      request: {
        vid: 'demo',
        requestReference: 'ENQ20261121C',
        reportReason: '12',
        reportSector: '2',
        ...examples.NAMES,
        nationalID: examples.NATIONAL_ID,
      },
      answer: {
        ...examples.head('ENQ20261121C'),
        profile: examples.PROFILE,
        summary: { ...examples.COUNTS, ...examples.MOBILE_LOANS, ...examples.DETAILS },
        account_list: examples.STATUSES.map((status) => ({
          accountStatus: status,
          ...examples.FLAGS,
          ...examples.ACCOUNT_DETAILS,
        })),
        phone_list: examples.PHONES.map((phone) => ({
          createDate: '2021-10-31T00:00:00+03:00',
          ...phone,
        })),
        score: {
          grade: 'CC',
          mobiLoansScore: '721',
          probability: '4.46',
          reasonCodeAARC1: 'One or more accounts are open',
          reasonCodeAARC2: 'Few accounts were repaid in full and on time',
          reasonCodeAARC3: 'Few mobile loans were repaid in full and on time',
          reasonCodeAARC4:
            'The largest mobile loan repaid in full and on time was small, or there was none',
        },
        notice: NOTICE,
        ...examples.TAIL,
      },
    },
    handle: (asked, vendor, signature) =>
      enquire(deps, 'mobile-loan-score', {
        request: asked,
        vendor,
        signature,
        present: presentMobile,
      }),
  };
}

/** The body of an answer. */
export function presentMobile(finding: BureauFinding, context: AnswerContext) {
  const { lastMobileLoanListingDate: listed, ...summary } = mobileSummary(
    finding.file,
    context.scope,
  );
  const { otherSectors } = listed;
  return scoreAnswer(finding, context, {
    summary: {
      ...summary,
      ...summaryDetailsOf(finding, context),
      lastMobileLoanListingDate: {
        otherSectors: otherSectors === null ? null : dayOnWire(isoDay(otherSectors), context),
      },
    },
    accountOf: () => ({}),
    phoneOf: (phone) => ({ createDate: dayOnWire(phone.since, context) }),
    score: 'mobiLoansScore',
  });
}
