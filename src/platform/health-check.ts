/** One check and its result. The console has the texts for people. */
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
  /** Names of the things at fault, such as operators. */
  readonly names: readonly string[];
  /** An age, where one is looked at. */
  readonly seconds?: number | undefined;
}
