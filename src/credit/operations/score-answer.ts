import { Type } from 'typebox';
import type { TProperties, TSchema } from 'typebox';
import type { BureauFinding } from '../bureaus/bureau.ts';
import type { Phone } from '../registry/profile.ts';
import { listAccounts } from '../summary/summary.ts';
import type { ListedAccount } from '../summary/summary.ts';
import {
  accountDetails,
  accountFlags,
  accountStatus,
  headSchema,
  noticeSchema,
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
  tailOf,
} from './answers.ts';
import type { AnswerContext, ScoreName } from './answers.ts';
import { enquiryFields } from './enquiry.ts';
import { reportSector } from './fields.ts';

/** Parameters of both scores. */
export const scoreRequest = Type.Object({ ...enquiryFields, reportSector });

/** The end of the description of both scores. */
export const SCORE_NEEDS =
  'Needs at least one document and at least two names. Vendors with strict enquiries must send `consentReference` and `consentDate` too.';

/** The response schema of a score: the fields of both scores, and those of this one only. */
export function scoreResponse<
  Summary extends TSchema,
  Account extends TProperties,
  OfPhone extends TProperties,
>(own: {
  readonly summary: Summary;
  readonly account: Account;
  readonly phone: OfPhone;
  readonly score: ScoreName;
}) {
  return Type.Object({
    ...headSchema,
    profile: Type.Object(profileFields),
    summary: own.summary,
    account_list: Type.Array(
      Type.Object({ accountStatus, ...own.account, ...accountFlags, ...accountDetails }),
    ),
    phone_list: Type.Array(
      Type.Object({
        ...own.phone,
        phoneNo: Type.String(),
        phoneType: plainText('`MOBILE`, `HOME` or `WORK`.'),
      }),
    ),
    score: scoreSchema(own.score),
    notice: noticeSchema,
    ...tailSchema,
  });
}

/** An answer with this schema. */
export function scoreAnswer<Summary, Account, OfPhone>(
  finding: BureauFinding,
  context: AnswerContext,
  own: {
    readonly summary: Summary;
    readonly accountOf: (account: ListedAccount) => Account;
    readonly phoneOf: (phone: Phone) => OfPhone;
    readonly score: ScoreName;
  },
) {
  const { file, profile } = finding;
  return {
    ...headOf(context),
    profile: profileOf(finding, context),
    summary: own.summary,
    account_list: listAccounts(file, context.scope).map((account) => ({
      accountStatus: account.status,
      ...own.accountOf(account),
      ...flagsOf(account, context),
      ...accountDetailsOf(account, file.asOf, context),
    })),
    phone_list: profile.phones.map((phone) => ({
      ...own.phoneOf(phone),
      phoneNo: phone.number,
      phoneType: phone.type,
    })),
    score: scoreOnWire(finding, own.score),
    notice: NOTICE,
    ...tailOf(finding, context),
  };
}
