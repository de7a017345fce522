import type { IdentityDocument } from '../registry/documents.ts';
import { fullName } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import type { FoundSubject } from '../registry/store.ts';
import { documentsContradict } from './contradiction.ts';
import { NAME_RULE, compareNames, nameTokens } from './names.ts';

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

/**
 * Decides by document first, then by names: at least two tokens must agree where names are given.
 * Documents of different people, and a lifelong document (national ID, tax PIN) that differs from
 * the subject's own, are a conflict; a document that two subjects share is one too, unless the names
 * are those of exactly one. Pure.
 * @param found the subjects that the documents belong to.
 * @param names as given, in any order; empty when none were given.
 * @param fewestTokens name tokens that must agree; two unless the operation asks for no names.
 */
export function matchSubject(
  documents: readonly IdentityDocument[],
  names: readonly string[],
  found: readonly FoundSubject[],
  fewestTokens?: number,
): Match {
  if (found.length === 0) return { kind: 'not_found' };
  const rule = names.length === 0 ? 'document' : `document+${NAME_RULE}`;
  const crns = found.map(({ crn }) => crn);
  const [first] = found;
  const sharesAllDocuments = found.every(
    ({ by }) => by.length === first?.by.length && by.every((type) => first.by.includes(type)),
  );
  if (
    !sharesAllDocuments ||
    found.some(({ profile }) => documentsContradict(profile.documents, documents))
  ) {
    return { kind: 'conflict', crns, rule };
  }
  if (names.length === 0) {
    return first === undefined || found.length > 1
      ? { kind: 'conflict', crns, rule }
      : { kind: 'match', subject: first, rule, score: null };
  }
  const scored = found.map((subject) => ({
    subject,
    score: nameScore(subject.profile, names, fewestTokens),
  }));
  const agreeing = scored.filter(({ score }) => score !== null);
  const [best] = agreeing;
  if (best === undefined) return { kind: 'mismatch', crns, rule };
  if (agreeing.length > 1) return { kind: 'conflict', crns, rule };
  return { kind: 'match', subject: best.subject, rule, score: best.score };
}

/** The best agreement of the names with any name of the subject; null when none agrees. */
export function nameScore(
  profile: Profile,
  names: readonly string[],
  fewestTokens?: number,
): number | null {
  const given = [...new Set(names.flatMap(nameTokens))];
  let best: number | null = null;
  for (const name of [profile.name, ...profile.alsoKnownAs]) {
    const { agree, score } = compareNames(given, nameTokens(fullName(name)), fewestTokens);
    if (agree && score > (best ?? 0)) best = score;
  }
  return best;
}
