import type { AnyRoute } from '../route.ts';
import type { Definition } from '../../staff/definition.ts';
import type { StaffDeps } from '../../staff/deps.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { staffRoutes } from '../staff-routes.ts';
import { accountRoutes } from './account.ts';
import type { AccountRoutesOptions } from './account.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { bulkRoutes } from './bulk.ts';
import type { BulkRoutesOptions } from './bulk.ts';
import { payRoutes } from './pay.ts';
import type { PayRoutesOptions } from './pay.ts';
import { quarantineRoutes } from './quarantine.ts';
import type { QuarantineRoutesOptions } from './quarantine.ts';

export type RoutesOptions = ProposalRoutesOptions &
  QuarantineRoutesOptions &
  PayRoutesOptions &
  Omit<BulkRoutesOptions, 'reads'> &
  AccountRoutesOptions & {
    /** The views and actions of `src/staff`. */
    readonly definitions: readonly Definition[];
    readonly deps: StaffDeps & Required<Pick<StaffDeps, 'longReads'>>;
    readonly cursors: Cursors;
  };

/** Every route of the console's API. */
export function consoleRoutes(options: RoutesOptions): AnyRoute[] {
  const reports = { ...options, reads: options.deps.longReads };
  return [
    ...quarantineRoutes(options),
    ...payRoutes(options),
    ...bulkRoutes(reports),
    ...accountRoutes(options),
    ...staffRoutes(options.definitions, options),
  ];
}
