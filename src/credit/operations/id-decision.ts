import { Type } from 'typebox';
import type { Vendor } from '../../parties/vendor.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { BureauFinding } from '../bureaus/bureau.ts';
import { isCreditActive } from '../summary/summary.ts';
import { headSchema, plainText, profileFields, tailSchema } from './answer-schema.ts';
import { headOf, profileOf, tailOf } from './answers.ts';
import type { AnswerContext } from './answers.ts';
import * as examples from './examples.ts';
import { common, enquire, enquiryFields } from './enquiry.ts';
import type { ScoringDeps } from './enquiry.ts';

const request = Type.Object(enquiryFields);
const response = Type.Object({
  ...headSchema,
  profile: Type.Object({
    ...profileFields,
    gender: plainText('`M`, `F` or empty.'),
    nationality: plainText('Country code of two letters.'),
  }),
  summary: Type.Object({ creditActive: plainText('`"true"` when any account is open.') }),
  ...tailSchema,
});

/** Specification §4.10. */
export function idDecision(deps: ScoringDeps): Operation<typeof request, typeof response, Vendor> {
  return {
    ...common(deps),
    path: '/id-decision',
    name: 'idDecision',
    summary: 'Identity decision',
    description:
      'Identifies the customer and says whether any credit account is open. Needs at least one document; names are optional, but must agree if given. Vendors with strict enquiries must send at least two names, `consentReference` and `consentDate`.',
    request,
    response,
    example: {
      request: {
        vid: 'demo',
        requestReference: 'ENQ20261121A',
        reportReason: '4',
        nationalID: examples.NATIONAL_ID,
      },
      answer: {
        ...examples.head('ENQ20261121A'),
        profile: { ...examples.PROFILE, gender: 'F', nationality: 'KE' },
        summary: { creditActive: 'true' },
        ...examples.TAIL,
      },
    },
    handle: (asked, vendor, signature) =>
      enquire(deps, 'id-decision', {
        request: asked,
        vendor,
        signature,
        present: presentIdentity,
      }),
  };
}

/** The body of an answer. */
export function presentIdentity(finding: BureauFinding, context: AnswerContext) {
  const { gender, nationality } = finding.profile;
  return {
    ...headOf(context),
    profile: { ...profileOf(finding, context), gender, nationality },
    summary: { creditActive: String(isCreditActive(finding.file)) },
    ...tailOf(finding, context),
  };
}
