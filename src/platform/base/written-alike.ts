/**
 * A reference without its separators, in lower case: banks and people write them in many ways. The indexes
 * `house_entries_once` and `receipts_by_number` compare the same.
 */
export function plainReference(reference: string): string {
  return reference.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/**
 * True if two texts may be one reference, written in two ways: only the case and the separators differ,
 * or one has no separators. `12/3456` and `123/456` are two references.
 */
export function isWrittenAlike(one: string, other: string): boolean {
  if (plainReference(one) !== plainReference(other)) return false;
  const [parts, others] = [partsOf(one), partsOf(other)];
  return (
    parts.length < 2 ||
    others.length < 2 ||
    (parts.length === others.length && parts.every((part, index) => part === others[index]))
  );
}

function partsOf(reference: string): string[] {
  return reference
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
