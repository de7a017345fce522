import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import type { Deps, Grounds } from '../credit/decisions/propose.ts';
import { DOCUMENT_TYPES } from '../credit/registry/documents.ts';
import type { ProposalRow } from '../proposals/proposal.ts';
import type { AnyAction } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import { idOf, inputOf, reasonWith } from './fields.ts';
import type { Options } from './fields.ts';
import * as fields from './fields.ts';
import { proposing } from './proposing.ts';

/** The nouns of the registry share these. */

const digits = (what: string, options: Options = {}) =>
  Type.String({
    pattern: String.raw`^\d{1,18}$`,
    form: what,
    description: what,
    placeholder: 'number',
    ...options,
  });

export const crn = (options: Options = {}) => digits('the customer’s reference number', options);

export const SCORE_KINDS = ['generic', 'mobile'] as const;

/** An account of the registry. */
export const ofAccount = {
  crn: crn(),
  account: digits('the number of the account in the registry'),
};
export const accountNumber = (description: string) =>
  digits('a number of an account', { description });

/** A person, by reference or by document: always in a body, because proxies log URLs. */
export const ofSubject = {
  crn: Type.Optional(crn()),
  type: Type.Enum([...DOCUMENT_TYPES], {
    default: 'nationalID',
    description: 'type of the document',
  }),
  number: Type.Optional(
    fields.line(40, { description: 'number of the document, instead of the reference' }),
  ),
};
export const NAMES_SUBJECT = ['crn', 'number'];

/** A list shows these digits of a customer’s reference. Each look at the person is in the audit log. */
const SHOWN_DIGITS = 3;
export const endingOf = (reference: bigint | string): string =>
  String(reference).slice(-SHOWN_DIGITS);

export const lender = (options: Options = {}) =>
  Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,32}$',
    form: '1 to 32 letters, digits, dots, hyphens or underscores',
    description: 'code of the lender',
    placeholder: 'code',
    ...options,
  });

/** Why something is proposed. */
export const grounds = {
  reason: reasonWith({ option: 'reason' }),
  evidence: fields.shortText({ description: 'where it can be looked up', placeholder: 'text' }),
};

/** The case that led to it, which an approval closes. */
export const ledTo = Type.Optional(
  idOf('case', { description: 'the case that led to it, which an approval closes' }),
);

const core = async () => ({
  ...(await import('../credit/decisions/propose.ts')),
  ...(await import('../credit/registry/named-subject.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

interface Asked<Input> {
  readonly core: Core;
  readonly input: Input;
  readonly deps: Deps;
  readonly grounds: Grounds;
  readonly staff: StaffDeps;
}

/** Proposes something about the registry, with its grounds. */
export function proposingCredit<Fields extends TProperties>(
  said: Pick<AnyAction, 'name' | 'summary' | 'proposes' | 'needsOne'> & { readonly path: string },
  own: Fields,
  make: (asked: Asked<Static<TObject<Fields>>>) => Promise<ProposalRow>,
): AnyAction {
  const { path, ...words } = said;
  return proposing(core, {
    ...words,
    route: `POST /credit/proposals/${path}`,
    permission: 'credit.act',
    input: inputOf({ ...own, ...grounds }),
    make: async ({ core: loaded, input, deps: staff, viewer }) => {
      const given = input as Static<TObject<Fields>> & Pick<Grounds, 'reason' | 'evidence'>;
      const { pool, clock } = staff;
      const { reason, evidence, case: caseId } = given as typeof given & { readonly case?: string };
      return await make({
        ...{ core: loaded, input: given, staff },
        deps: { pool, clock, proposals: await staff.proposals() },
        grounds: { by: viewer.actor, reason, evidence, caseId },
      });
    },
  });
}
