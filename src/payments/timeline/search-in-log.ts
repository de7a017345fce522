import type { Understood } from './understand.ts';

const SHOWN_END = 3;

/**
 * What the audit log keeps of a search: the text, but only the last characters of a phone number or
 * an account, by which a person who knows it can recognise it.
 */
export function searchInLog({ understood }: { readonly understood: readonly Understood[] }): {
  readonly search?: readonly Understood[];
} {
  if (understood.length === 0) return {};
  return {
    search: understood.map((part) =>
      isPersonal(part) ? { ...part, value: `…${endOf(part.value)}` } : part,
    ),
  };
}

function isPersonal({ kind }: Understood): boolean {
  return kind === 'phone' || kind === 'text';
}

function endOf(value: string): string {
  // Whole characters: a rare one, such as an emoji, is two units of the string.
  const characters = Array.from(value);
  return characters.length > 2 * SHOWN_END ? characters.slice(-SHOWN_END).join('') : '';
}
