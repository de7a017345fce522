/** A name for people: 1 to 100 characters that people see, without spaces at the ends. Two that look alike are the same. */
export const DISPLAY_NAME = String.raw`^[^\p{C}\p{DI}\s]([^\p{C}\p{DI}]{0,98}[^\p{C}\p{DI}\s])?$`;

/**
 * Text from others (an operator's message, a vendor's reference, what somebody proposes), as people see it: characters
 * that move the cursor, turn the text around or take no room are made visible.
 */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu, '\u{FFFD}');
}
