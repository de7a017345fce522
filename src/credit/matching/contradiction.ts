import { LIFELONG_DOCUMENTS } from '../registry/documents.ts';
import type { IdentityDocument } from '../registry/documents.ts';

/** True if a lifelong document differs from all of the person's own documents of its type. */
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

/** True if both sides have birth dates (`YYYY-MM-DD`, or empty) and none is the same. */
export function birthDatesContradict(own: readonly string[], given: string): boolean {
  const known = own.filter((day) => day !== '');
  return given !== '' && known.length > 0 && !known.includes(given);
}
