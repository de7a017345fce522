import type { IdentityDocument } from '../registry/documents.ts';
import { fullName } from '../registry/profile.ts';
import type { FoundSubject } from '../registry/read-subjects.ts';
import { NAME_RULE, nameAgreement } from './compare.ts';
import type { NameRules } from './compare.ts';
import { birthDatesContradict, documentsContradict } from './contradiction.ts';

/** The person that a request is about; only a match may be disclosed. */
export type Match =
  | {
      readonly kind: 'match';
      readonly subject: FoundSubject;
      readonly rule: string;
      /** Agreement of the names, 0 to 1; null when none were given. */
      readonly score: number | null;
    }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'mismatch'; readonly crns: readonly bigint[]; readonly rule: string }
  /** Documents that belong to different people: a case for a person. */
  | { readonly kind: 'conflict'; readonly crns: readonly bigint[]; readonly rule: string };

/** A request's data about the person whom it asks about. */
export interface Asked {
  readonly documents: readonly IdentityDocument[];
  /** In any order; empty when none were given. */
  readonly names: readonly string[];
  /** `YYYY-MM-DD`, or empty if it was not given. */
  readonly dateOfBirth: string;
}

export interface MatchRules extends NameRules {
  /**
   * True: a match must have every given document. Otherwise a document that is not on file for
   * anyone is ignored, which distinguishes it from one that is on file.
   */
  readonly allDocuments?: boolean;
}

/**
 * Decides by document first, then by birth date and names: if names are given, at least two tokens
 * must agree. Documents of different people are a conflict, and so is a lifelong document (national
 * ID, tax PIN) that differs from the subject's own. A document that two subjects share is also a
 * conflict, unless birth date and names match exactly one of them. Pure.
 * @param found the subjects that the documents belong to.
 */
export function matchSubject(
  asked: Asked,
  found: readonly FoundSubject[],
  rules: MatchRules = {},
): Match {
  if (found.length === 0) return { kind: 'not_found' };
  const rule = matchRuleOf(asked);
  const crns = found.map(({ crn }) => crn);
  const [first] = found;
  const sharesAllDocuments = found.every(
    ({ by }) => by.length === first?.by.length && by.every((type) => first.by.includes(type)),
  );
  if (
    !sharesAllDocuments ||
    found.some(({ profile }) => documentsContradict(profile.documents, asked.documents))
  ) {
    return { kind: 'conflict', crns, rule };
  }
  if (rules.allDocuments === true && (first?.by.length ?? 0) < asked.documents.length) {
    return { kind: 'mismatch', crns, rule };
  }
  const agreeing = found.flatMap((subject) => {
    const agreed = agreementOf(subject, asked, rules);
    return agreed === undefined ? [] : [{ subject, ...agreed }];
  });
  const [best] = agreeing;
  if (best === undefined) return { kind: 'mismatch', crns, rule };
  if (agreeing.length > 1) return { kind: 'conflict', crns, rule };
  return { kind: 'match', subject: best.subject, score: best.score, rule: best.rule };
}

/** Follows the rule of an enquiry that found a person although a name differs. */
const NAME_DIFFERS = 'name-differs';

/** True if the person was found although a name on file differs. */
export function nameDiffers(rule: string | null): boolean {
  return rule?.endsWith(`+${NAME_DIFFERS}`) ?? false;
}

/** Names the rule that decides an enquiry with these fields. */
export function matchRuleOf({ names, dateOfBirth }: Omit<Asked, 'documents'>): string {
  return [
    'document',
    ...(dateOfBirth === '' ? [] : ['birth']),
    ...(names.length === 0 ? [] : [NAME_RULE]),
  ].join('+');
}

export interface Agreement {
  /** Agreement of the names, 0 to 1; null if none were given. */
  readonly score: number | null;
  /** The rule that decided. It says so if the person has another name on file, as after a marriage. */
  readonly rule: string;
}

/** Compares a profile with the requested person's birth date and names. Undefined if it is not theirs. */
export function agreementOf(
  { profile, birthDates }: Pick<FoundSubject, 'profile' | 'birthDates'>,
  asked: Omit<Asked, 'documents'>,
  rules: NameRules = {},
): Agreement | undefined {
  const { names, dateOfBirth } = asked;
  if (birthDatesContradict(birthDates, dateOfBirth)) return undefined;
  const rule = matchRuleOf(asked);
  if (names.length === 0) return { score: null, rule };
  const onFile = [profile.name, ...profile.alsoKnownAs].map(fullName);
  const agreement = nameAgreement(names, onFile, {
    ...rules,
    isBirthDateKnown: dateOfBirth !== '' && birthDates.includes(dateOfBirth),
  });
  if (agreement === null) return undefined;
  return {
    score: agreement.score,
    rule: agreement.differs ? `${rule}+${NAME_DIFFERS}` : rule,
  };
}
