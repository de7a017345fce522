/** What is looked at, and how it is. The texts for people are the console's. */
export interface HealthCheck {
  readonly code:
    | 'ready'
    | 'workers'
    | 'backup'
    | 'quarantine'
    | 'chain'
    | 'queued'
    | 'unknown'
    | 'routes'
    | 'floats'
    | 'statements'
    | 'receipts'
    | 'webhooks';
  readonly state: 'ok' | 'warning' | 'failed';
  /** What is not as it should be, such as operators. */
  readonly names: readonly string[];
  /** An age, where one is looked at. */
  readonly seconds?: number | undefined;
}
