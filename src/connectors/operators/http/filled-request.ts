/** A request as it is sent. */
export interface FilledRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body: string | null;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}
