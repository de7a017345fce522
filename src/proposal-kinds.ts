import { pino } from 'pino';
import type { Logger } from 'pino';
import { receiptKind } from './payments/receipts/assign.ts';
import { unreadMessageKind } from './payments/receipts/completion.ts';
import { collectionKind } from './payments/receipts/collection.ts';
import type { WireTime } from './platform/base/clock.ts';
import type { Pool } from './platform/db/pool.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import type { Mac } from './platform/base/mac.ts';
import { CREDIT_KINDS } from './credit/decisions/kinds.ts';
import { caseResolutionKind } from './payments/corrections/case-resolution.ts';
import { houseEntryKind } from './payments/house/entries.ts';
import { houseAccountKind } from './payments/house/own-accounts.ts';
import { houseJournalKind } from './payments/house/journals.ts';
import { tellVendor } from './payments/events/tell-vendor.ts';
import { receiptMoveKind } from './payments/receipts/move.ts';
import { phonePayoutKind } from './payments/disbursements/phone-payout.ts';
import { refundKind } from './payments/disbursements/refund.ts';
import { payoutKind } from './payments/payouts/payout.ts';
import { payoutMadeKind } from './payments/payouts/made.ts';
import { quarantineReleaseKind } from './payments/quarantine/release-kind.ts';
import { bankStatementKind } from './payments/uploads/bank-statement.ts';
import { operatorStatementKind } from './payments/uploads/operator-statement.ts';
import { settingKinds } from './payments/settings/kinds.ts';
import { vendorSecretKind } from './payments/vendor-secrets/vendor-secret.ts';
import { payoutReturnKind } from './payments/payouts/return.ts';
import { personKind } from './proposals/parties/person.ts';
import { Proposals } from './proposals/proposals.ts';

export interface ProposalOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  /** Undefined: nothing secret can be set. */
  readonly masterKeys?: MasterKeys | undefined;
  /** Default: nothing is logged. */
  readonly log?: Logger | undefined;
}

/** Proposals of every kind, for the console, the command line, the jobs and the simulation. */
export function createProposals(options: ProposalOptions): Proposals {
  const { pool, ledgerMac, log = pino({ level: 'silent' }) } = options;
  return new Proposals(pool, ledgerMac, [
    payoutKind,
    payoutMadeKind(ledgerMac),
    payoutReturnKind,
    phonePayoutKind(options),
    refundKind(options),
    operatorStatementKind(pool, ledgerMac),
    bankStatementKind({ ...options, log }),
    vendorSecretKind,
    ...settingKinds(options),
    caseResolutionKind(options),
    receiptKind({ pool, ledgerMac, log }),
    receiptMoveKind({ pool, ledgerMac, log }),
    collectionKind(options),
    unreadMessageKind({ ...options, log }),
    ...CREDIT_KINDS,
    houseEntryKind(options),
    houseJournalKind(options),
    houseAccountKind,
    quarantineReleaseKind(options),
    personKind({ ...options, tell: tellVendor }),
  ]);
}
