import { Type } from 'typebox';
import type { Vendor } from '../../parties/vendor.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { DETAIL_NAMES } from '../summary/details.ts';
import { GENERIC_COUNTS, genericSummary, listAccounts } from '../summary/summary.ts';
import {
  accountDetails,
  accountFlags,
  accountStatus,
  headSchema,
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
  summary: Type.Object(pairs([...GENERIC_COUNTS, ...DETAIL_NAMES])),
  account_list: Type.Array(
    Type.Object({
      accountStatus,
      arrearAmount: plainText('Overdue amount in KES.'),
      ...accountFlags,
      ...accountDetails,
    }),
  ),
  phone_list: Type.Array(
    Type.Object({ phoneNo: Type.String(), phoneType: plainText('`MOBILE`, `HOME` or `WORK`.') }),
  ),
  score: scoreSchema('positiveScore'),
  notice: noticeSchema,
  ...tailSchema,
});

/** Specification §4.11. */
export function genericScore(
  deps: ScoringDeps,
): Operation<typeof request, typeof response, Vendor> {
  return {
    ...common(deps),
    path: '/generic-score',
    name: 'genericScore',
    summary: 'Generic score',
    description:
      'Profile, counts of accounts, account and phone lists, and the generic score. Needs at least one document and at least two names. Vendors with strict enquiries must send `consentReference` and `consentDate` too.',
    request,
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
      enquire(deps, 'generic-score', { request: asked, vendor, signature, present }),
  };
}

function present(finding: BureauFinding, context: AnswerContext) {
  return {
    ...headOf(context),
    profile: profileOf(finding, context),
    summary: {
      ...genericSummary(finding.file, context.scope),
      ...summaryDetailsOf(finding, context),
    },
    account_list: listAccounts(finding.file, context.scope).map((account) => ({
      accountStatus: account.status,
      arrearAmount: formatMoney(account.arrearCents),
      ...flagsOf(account, context),
      ...accountDetailsOf(account, finding.file.asOf, context),
    })),
    phone_list: finding.profile.phones.map((phone) => ({
      phoneNo: phone.number,
      phoneType: phone.type,
    })),
    score: scoreOnWire(finding, 'positiveScore'),
    notice: NOTICE,
    ...tailOf(finding, context),
  };
}
