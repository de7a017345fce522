import { Type } from 'typebox';
import type { Vendor } from '../../parties/vendor.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { nullable } from '../../platform/http/schemas.ts';
import { isoDay } from '../../platform/base/days.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { DETAIL_NAMES } from '../summary/details.ts';
import { MOBILE_AMOUNTS, MOBILE_COUNTS, listAccounts, mobileSummary } from '../summary/summary.ts';
import {
  accountDetails,
  accountFlags,
  accountStatus,
  headSchema,
  isoTime,
  noticeSchema,
  pairs,
  plainText,
  profileFields,
  scoreSchema,
  tailSchema,
} from './answer-schema.ts';
import {
  NOTICE,
  accountDetailsOf,
  dayOnWire,
  flagsOf,
  headOf,
  profileOf,
  scoreOnWire,
  summaryDetailsOf,
  tailOf,
} from './answers.ts';
import type { AnswerContext } from './answers.ts';
import * as examples from './examples.ts';
import { common, enquire, enquiryFields } from './enquiry.ts';
import type { ScoringDeps } from './enquiry.ts';
import { reportSector } from './fields.ts';

const request = Type.Object({ ...enquiryFields, reportSector });
const response = Type.Object({
  ...headSchema,
  profile: Type.Object(profileFields),
  summary: Type.Object({
    ...pairs([...MOBILE_AMOUNTS, ...MOBILE_COUNTS, ...DETAIL_NAMES]),
    lastMobileLoanListingDate: Type.Object({
      otherSectors: nullable(isoTime('Null when there is none.')),
    }),
  }),
  account_list: Type.Array(Type.Object({ accountStatus, ...accountFlags, ...accountDetails })),
  phone_list: Type.Array(
    Type.Object({
      createDate: isoTime('The date since which it is on file.'),
      phoneNo: Type.String(),
      phoneType: plainText('`MOBILE`, `HOME` or `WORK`.'),
    }),
  ),
  score: scoreSchema('mobiLoansScore'),
  notice: noticeSchema,
  ...tailSchema,
});

/** Specification §4.12. */
export function mobileLoanScore(
  deps: ScoringDeps,
): Operation<typeof request, typeof response, Vendor> {
  return {
    ...common(deps),
    path: '/mobile-loan-score',
    name: 'mobileLoanScore',
    summary: 'Mobile-loan score',
    description:
      'Profile, counts and amounts with those of mobile loans, account and phone lists, and the mobile-loan score. Needs at least one document and at least two names. Vendors with strict enquiries must send `consentReference` and `consentDate` too.',
    request,
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
      enquire(deps, 'mobile-loan-score', { request: asked, vendor, signature, present }),
  };
}

function present(finding: BureauFinding, context: AnswerContext) {
  const { lastMobileLoanListingDate: listed, ...summary } = mobileSummary(
    finding.file,
    context.scope,
  );
  const { otherSectors } = listed;
  return {
    ...headOf(context),
    profile: profileOf(finding, context),
    summary: {
      ...summary,
      ...summaryDetailsOf(finding, context),
      lastMobileLoanListingDate: {
        otherSectors: otherSectors === null ? null : dayOnWire(isoDay(otherSectors), context),
      },
    },
    account_list: listAccounts(finding.file, context.scope).map((account) => ({
      accountStatus: account.status,
      ...flagsOf(account, context),
      ...accountDetailsOf(account, finding.file.asOf, context),
    })),
    phone_list: finding.profile.phones.map((phone) => ({
      createDate: dayOnWire(phone.since, context),
      phoneNo: phone.number,
      phoneType: phone.type,
    })),
    score: scoreOnWire(finding, 'mobiLoansScore'),
    notice: NOTICE,
    ...tailOf(finding, context),
  };
}
