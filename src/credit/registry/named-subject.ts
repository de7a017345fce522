import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { DOCUMENT_FORMS, normaliseDocument } from './documents.ts';
import type { DocumentType } from './documents.ts';
import { readSurvivors } from './read-merges.ts';
import { findSubjects, readSubject } from './read-subjects.ts';
import type { Vault } from './vault.ts';

/** Names a subject by its reference, or by a document. */
export interface NamedSubject {
  readonly crn?: string | undefined;
  readonly type: DocumentType;
  readonly number?: string | undefined;
}

/**
 * The reference of a subject; of one that is merged into another, that of the other one.
 * Throws: `PlainError` if nobody, or more than one person, matches.
 */
export async function crnOf(
  { pool, vault }: { readonly pool: Queryable; readonly vault: Vault },
  named: NamedSubject,
): Promise<bigint> {
  if (named.crn !== undefined) {
    const crn = BigInt(named.crn);
    const answered = (await readSurvivors(pool, [crn])).get(crn) ?? crn;
    if ((await readSubject(pool, vault, answered)) !== undefined) return answered;
    throw new PlainError('No subject has this reference.', { field: 'crn' });
  }
  const number = normaliseDocument(named.type, named.number ?? '');
  if (number === undefined) {
    throw new PlainError(`It must be ${DOCUMENT_FORMS[named.type]}.`, { field: 'number' });
  }
  const found = await findSubjects(pool, vault, [{ type: named.type, number }]);
  const [subject] = found;
  if (subject === undefined) {
    throw new PlainError('No subject has this document.', { field: 'number' });
  }
  if (found.length === 1) return subject.crn;
  const crns = found.map(({ crn }) => crn).join(', ');
  const says = `This document belongs to several people on file: ${crns}. Give their reference.`;
  throw new PlainError(says, { field: 'number' });
}
