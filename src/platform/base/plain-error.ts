/** A failure that a person can mend: whoever shows it shows the message alone, without a stack. */
export class PlainError extends Error {
  readonly plain = true;
  /** What was given and is at fault, when it is one thing, such as `base_url`. */
  readonly field: string | undefined;

  constructor(
    message: string,
    details: { readonly field?: string; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'PlainError';
    this.field = details.field;
  }
}
