import type { SignInDoor } from '../parties/people/attempts.ts';
import type { SessionLookUps } from '../parties/people/session-look-ups.ts';
import type { Sessions } from '../parties/people/sessions.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import type { Noun } from '../staff/definition.ts';
import type { StaffDeps } from '../staff/deps.ts';

export interface StaffApiOptions {
  readonly nouns: readonly Noun[];
  readonly deps: StaffDeps;
  readonly cursors: Cursors;
  readonly sessions: Sessions;
  readonly lookUps: SessionLookUps;
  readonly door: SignInDoor;
  readonly ledgerMac: Mac;
  readonly masterKeys: MasterKeys;
  readonly environment: 'sandbox' | 'production';
  readonly codesRequired: boolean;
  /** True: nothing is changed. */
  readonly readOnly: boolean;
  readonly timeZone: string;
  readonly version: string;
  /** Limits of each person and of each token; 0: no limit. */
  readonly readsPerSecond: number;
  readonly changesPerSecond: number;
}
