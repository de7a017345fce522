/**
 * Text from others (an operator's message, a vendor's reference, what somebody proposes), as people see it: characters
 * that move the cursor, turn the text around or take no room are made visible.
 */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu, '\u{FFFD}');
}
