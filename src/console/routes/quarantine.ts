import { releaseQuarantine, StatementsMissing } from '../../payments/quarantine/release.ts';
import { proposeRelease } from '../../payments/quarantine/release-kind.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { onlyReason } from './reason.ts';

export interface QuarantineRoutesOptions extends ProposalRoutesOptions {
  readonly ledgerMac: Mac;
}

/** Ends the quarantine, or proposes to end it without the statements that are missing. */
export function quarantineRoutes(options: QuarantineRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/system/quarantine/release',
      permission: 'system.act',
      action: 'quarantine.release',
      body: onlyReason,
      handle: async ({ body: { reason: note } }, { viewer }) => {
        try {
          const { quarantineId } = await releaseQuarantine(options, { by: viewer.login });
          return new Audited({ waits: false }, { target: quarantineId });
        } catch (error) {
          if (!(error instanceof StatementsMissing)) throw error;
          const row = await proposeRelease(options, { by: actorOf(viewer), note });
          return auditedOf(row, { waits: true });
        }
      },
    }),
  ];
}
