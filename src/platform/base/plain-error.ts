/** An error that the user can fix. Callers show its message alone, without a stack. */
export class PlainError extends Error {
  readonly plain = true;
  /** The input at fault, if it is a single one, such as `base_url`. */
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
