import { LIFELONG_DOCUMENTS } from '../registry/documents.ts';
import type { IdentityDocument } from '../registry/documents.ts';

/** True when a document that a person has for life differs from all the person's own of its type. */
export function documentsContradict(
  own: readonly IdentityDocument[],
  given: readonly IdentityDocument[],
): boolean {
  return given.some(({ type, number }) => {
    if (!LIFELONG_DOCUMENTS.has(type)) return false;
    const known = own.filter((document) => document.type === type);
    return known.length > 0 && !known.some((document) => document.number === number);
  });
}

/** True when both sides know a birth date (`YYYY-MM-DD`, or empty) and none is the same. */
export function birthDatesContradict(own: readonly string[], given: string): boolean {
  const known = own.filter((day) => day !== '');
  return given !== '' && known.length > 0 && !known.includes(given);
}
