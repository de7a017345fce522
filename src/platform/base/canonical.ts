import type { Refusal } from './errors.ts';

/** One flat request: name → text as it was sent. `null` is JSON's null and means absent. */
export type Fields = ReadonlyMap<string, string | null>;

/** The parameter that carries the signature; it is never part of the signed text. */
export const HASH_FIELD = 'hash';

/**
 * The possible meanings of a request. Most bodies have one reading. A form body that was not
 * URL-encoded has two: some senders put the signed text itself into the body and do not mean `+`
 * and `%` as escapes. Only the signature shows which reading the sender meant.
 */
export interface Reading {
  readonly fields: Fields;
  /** The second reading of a form, undecoded; absent where it cannot differ from `fields`. */
  readonly raw?: () => Fields | undefined;
  /**
   * Set when the body cannot be decoded and `fields` are the undecoded ones. They count only if
   * their signature is valid; otherwise this is the refusal to answer with. Never set for an
   * operation without a signature.
   */
  readonly refusal?: Refusal;
}

/**
 * The text that is signed: `name=value` of every parameter but `hash`, in ASCII order of the names,
 * joined by `&`, not encoded; null is left out, empty text is kept as `name=` (specification §5.4).
 */
export function canonicalText(fields: Fields): string {
  const names: string[] = [];
  for (const [name, value] of fields) {
    if (value !== null && name !== HASH_FIELD) names.push(name);
  }
  // Compares code units, which is ASCII order for ASCII names. A locale's order differs.
  names.sort();
  let text = '';
  for (const name of names) {
    text += text === '' ? `${name}=${fields.get(name)}` : `&${name}=${fields.get(name)}`;
  }
  return text;
}
