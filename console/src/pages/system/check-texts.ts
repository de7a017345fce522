import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { HealthCheck } from '../../../../src/platform/health-check.ts';

interface CheckTexts {
  readonly title: MessageDescriptor;
  /** What it means if it is not as it should be, and what to do. */
  readonly otherwise: MessageDescriptor;
}

/** What each check looks at. */
export const CHECK_TEXTS: Readonly<Record<HealthCheck['code'], CheckTexts>> = {
  ready: {
    title: msg`The process has its database, tables and functions`,
    otherwise: msg`It accepts no work. Restore what is missing, or run the migrations.`,
  },
  workers: {
    title: msg`All servers of the database answer`,
    otherwise: msg`Requests of the vendors on these servers are refused. Start them.`,
  },
  backup: {
    title: msg`The last backup is younger than a day`,
    otherwise: msg`Run malipo backup. A database of your own (DATABASE_URL) is backed up with its own tools; such backups are not shown here.`,
  },
  quarantine: {
    title: msg`Payments are sent`,
    otherwise: msg`The service was restored from a backup and sends nothing until the operators’ statements are imported.`,
  },
  chain: {
    title: msg`Transfers are sealed into the chain within minutes`,
    otherwise: msg`No process has the role jobs, a database transaction stays open, or the chain was altered. Run malipo ledger check.`,
  },
  queued: {
    title: msg`Payments are sent without delay`,
    otherwise: msg`The oldest payment has waited for a long time: an operator is offline or slow, or no process has the role dispatcher.`,
  },
  unknown: {
    title: msg`Operators report results in time`,
    otherwise: msg`The oldest unknown result is old. Look for it among the payments, ask the operator, or open a case.`,
  },
  routes: {
    title: msg`Every route can be used`,
    otherwise: msg`These are offline, have an open circuit breaker, or too little float.`,
  },
  floats: {
    title: msg`Operators report our floats`,
    otherwise: msg`These have reported no balance for ten minutes.`,
  },
  statements: {
    title: msg`Operators’ statements are pulled`,
    otherwise: msg`The last attempt failed for these. If it keeps failing, import the statement manually.`,
  },
  receipts: {
    title: msg`Receipts are pulled`,
    otherwise: msg`These sources were not read for 15 minutes. What is older than 48 hours may not be available any more.`,
  },
  webhooks: {
    title: msg`Vendors receive their events`,
    otherwise: msg`A webhook is disabled, or its receiver has failed for an hour.`,
  },
};

export const EVENT_NAMES: Readonly<
  Record<'entered' | 'extended' | 'released' | 'reopened', MessageDescriptor>
> = {
  entered: msg`Entered`,
  extended: msg`Extended`,
  reopened: msg`Its end was not made by the service, and was undone`,
  released: msg`Ended`,
};
