import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { Sessions } from '../parties/people/sessions.ts';
import type { SignInDoor } from '../parties/people/attempts.ts';
import type { RelyingParty } from '../parties/people/relying-party.ts';
import type { Clock } from '../platform/base/clock.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import type { Pool } from '../platform/db/pool.ts';
import type { Definition } from '../staff/definition.ts';
import type { StaffDeps } from '../staff/deps.ts';
import { mountDefinitions } from './mount.ts';
import { addConsolePage } from './page.ts';
import { addPasskeyRoutes } from './passkey-routes.ts';
import { createPersonLimits } from '../parties/people/person-limits.ts';
import { consoleCookie } from './session-cookie.ts';
import type { SessionLookUps } from '../parties/people/session-look-ups.ts';
import { addSessionRoutes, isSignedIn, viewerOf } from './session-routes.ts';

export interface ConsoleOptions {
  /** Such as `/console`. */
  readonly path: string;
  /** Where people open it. With https, its cookies are `Secure` whatever the proxy says. */
  readonly publicUrl: string;
  readonly environment: 'sandbox' | 'production';
  /** True: the console changes nothing. */
  readonly readOnly: boolean;
  /** IANA name; the zone that times are shown in. */
  readonly timeZone: string;
  readonly version: string;
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly masterKeys: MasterKeys;
  readonly codesRequired: boolean;
  /** Undefined: browsers allow no passkeys at the configured public URL. */
  readonly party: RelyingParty | undefined;
  readonly clock: Clock;
  /** Limit of each person; 0: no limit. */
  readonly readsPerSecond: number;
  readonly changesPerSecond: number;
  readonly cursors: Cursors;
  readonly sessions: Sessions;
  readonly lookUps: SessionLookUps;
  readonly door: SignInDoor;
  /** The views and actions of `src/staff`. */
  readonly definitions: readonly Definition[];
  readonly deps: StaffDeps;
}

/** The web console: its API below `<path>/api`, and its page. */
export async function addConsole(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  const { path, environment, readOnly, timeZone, version } = options;
  const { sessions, lookUps } = options;
  const cookie = consoleCookie('malipo', options.publicUrl);
  const prefix = `${path}/api`;
  // A separate scope, so that only console requests parse cookies.
  await app.register(async (scope) => {
    await scope.register(fastifyCookie);
    const about = { environment, readOnly, timeZone, version };
    const limits = createPersonLimits(options);
    const signingIn = { ...options, prefix, sessions, lookUps, cookie, about, limits };
    addSessionRoutes(scope, signingIn);
    addPasskeyRoutes(scope, signingIn);
    mountDefinitions(scope, options.definitions, {
      ...{ prefix, limits, readOnly, cursors: options.cursors, deps: options.deps },
      viewerOf: async (request) => await viewerOf(request, signingIn),
      isSignedIn: async (request) => await isSignedIn(request, signingIn),
    });
  });
  await addConsolePage(app, path);
}
