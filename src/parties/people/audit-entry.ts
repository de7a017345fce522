/** Where somebody did it: on a page, with a token, by a command, or a vendor’s program with its key. */
export type Channel = 'console' | 'api' | 'command' | 'vendor';

export interface AuditEntry {
  readonly auditId: string;
  readonly at: Date;
  readonly personId: string | null;
  readonly vendorId: number | null;
  readonly login: string;
  readonly role: string | null;
  readonly channel: Channel;
  /** The name of the token of a program. Default: a person acted. */
  readonly token?: string | null | undefined;
  /** Such as `biller.offline`. */
  readonly action: string;
  readonly target: string | null;
  readonly reason: string | null;
  readonly address: string;
  readonly requestId: string;
  /** Filter of an export; JSON. */
  readonly filter?: unknown;
}

export interface AuditResult {
  readonly result: 'done' | 'refused' | 'failed';
  readonly target?: string | undefined;
  /** State before and after the action; JSON. */
  readonly before?: unknown;
  readonly after?: unknown;
}
