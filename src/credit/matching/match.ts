import type { IdentityDocument } from '../registry/documents.ts';
import { fullName } from '../registry/profile.ts';
import type { FoundSubject } from '../registry/store.ts';
import { NAME_RULE, nameAgreement } from './compare.ts';
import type { NameRules } from './compare.ts';
import { birthDatesContradict, documentsContradict } from './contradiction.ts';

/** Who a request is about; only a match may be disclosed. */
export type Match =
  | {
      readonly kind: 'match';
      readonly subject: FoundSubject;
      readonly rule: string;
      /** Of the names, 0 to 1; null when none were given. */
      readonly score: number | null;
    }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'mismatch'; readonly crns: readonly bigint[]; readonly rule: string }
  /** Documents that belong to different people: a case for a person. */
  | { readonly kind: 'conflict'; readonly crns: readonly bigint[]; readonly rule: string };

/** What a request says of the person it is about. */
export interface Asked {
  readonly documents: readonly IdentityDocument[];
  /** In any order; empty when none were given. */
  readonly names: readonly string[];
  /** `YYYY-MM-DD`, or empty when it was not given. */
  readonly dateOfBirth: string;
}

export interface MatchRules extends NameRules {
  /**
   * True: a match has every document that was given. Otherwise a document that nobody on file has
   * is ignored, which tells it from one that somebody has.
   */
  readonly allDocuments?: boolean;
}

/**
 * Decides by document first, then by birth date and names: at least two tokens must agree where names
 * are given. Documents of different people, and a lifelong document (national ID, tax PIN) that
 * differs from the subject's own, are a conflict; a document that two subjects share is one too,
 * unless birth date and names are those of exactly one. Pure.
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
    return agreed === undefined ? [] : [{ subject, score: agreed.score }];
  });
  const [best] = agreeing;
  if (best === undefined) return { kind: 'mismatch', crns, rule };
  if (agreeing.length > 1) return { kind: 'conflict', crns, rule };
  return { kind: 'match', ...best, rule };
}

/** What an enquiry was decided by. */
export function matchRuleOf({ names, dateOfBirth }: Omit<Asked, 'documents'>): string {
  return [
    'document',
    ...(dateOfBirth === '' ? [] : ['birth']),
    ...(names.length === 0 ? [] : [NAME_RULE]),
  ].join('+');
}

/**
 * Whether a profile can be of the person asked for, by birth date and names: undefined when it
 * cannot, otherwise how well the names agree, which is null when none were given.
 */
export function agreementOf(
  { profile, birthDates }: Pick<FoundSubject, 'profile' | 'birthDates'>,
  { names, dateOfBirth }: Omit<Asked, 'documents'>,
  rules: NameRules = {},
): { readonly score: number | null } | undefined {
  if (birthDatesContradict(birthDates, dateOfBirth)) return undefined;
  if (names.length === 0) return { score: null };
  const onFile = [profile.name, ...profile.alsoKnownAs].map(fullName);
  const score = nameAgreement(names, onFile, rules);
  return score === null ? undefined : { score };
}
