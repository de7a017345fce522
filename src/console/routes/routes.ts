import type { AnyRoute } from '../route.ts';
import type { Definition } from '../../staff/definition.ts';
import type { StaffDeps } from '../../staff/deps.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { staffRoutes } from '../staff-routes.ts';
import { accountRoutes } from './account.ts';
import type { AccountRoutesOptions } from './account.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { quarantineRoutes } from './quarantine.ts';
import type { QuarantineRoutesOptions } from './quarantine.ts';

export type RoutesOptions = ProposalRoutesOptions &
  QuarantineRoutesOptions &
  AccountRoutesOptions & {
    /** The views and actions of `src/staff`. */
    readonly definitions: readonly Definition[];
    readonly deps: StaffDeps;
    readonly cursors: Cursors;
  };

/** Every route of the console's API. */
export function consoleRoutes(options: RoutesOptions): AnyRoute[] {
  return [
    ...quarantineRoutes(options),
    ...accountRoutes(options),
    ...staffRoutes(options.definitions, options),
  ];
}
