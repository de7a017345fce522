import { createLongReads } from '../platform/base/long-reads.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { createCursors } from '../platform/http/cursors.ts';
import { describeBiller } from './describe-biller.ts';
import { describeBillers } from './describe-billers.ts';
import { exportPayments } from './export-payments.ts';
import { exportStatement } from './export-statement.ts';
import { getBalance } from './get-balance.ts';
import { exportInvoice, getInvoice } from './get-invoice.ts';
import { getEvent } from './get-event.ts';
import { getPayment } from './get-payment.ts';
import { getStatement } from './get-statement.ts';
import { getWebhook } from './get-webhook.ts';
import { listEnquiries } from './list-enquiries.ts';
import { listEvents } from './list-events.ts';
import { listInvoices } from './list-invoices.ts';
import { listKeys } from './list-keys.ts';
import { listPayments } from './list-payments.ts';
import { listRequests } from './list-requests.ts';
import { removeWebhook } from './remove-webhook.ts';
import { replayEvent } from './replay-event.ts';
import { replayEvents } from './replay-events.ts';
import type { SelfServiceDeps, SelfServiceOptions } from './resource.ts';
import { retireKey } from './retire-key.ts';
import { retireWebhookSecret } from './retire-webhook-secret.ts';
import { rotateKey } from './rotate-key.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { setWebhook } from './set-webhook.ts';
import { switchWebhook } from './switch-webhook.ts';
import { testWebhook } from './test-webhook.ts';

/** Half of the connections that these requests have. */
const LONG_READS_AT_ONCE = 2;

/** Resources that a vendor can read and change by program. */
export function selfServiceResources(options: SelfServiceOptions): AnyResource[] {
  const { selfServicePool: pool, ...others } = options;
  const deps: SelfServiceDeps = {
    ...others,
    pool,
    cursors: createCursors(options.masterKeys, 'self-service cursors'),
    longReads: createLongReads(LONG_READS_AT_ONCE, options),
  };
  return [
    listPayments(deps),
    getPayment(deps),
    exportPayments(deps),
    getBalance(deps),
    getStatement(deps),
    exportStatement(deps),
    listInvoices(deps),
    getInvoice(deps),
    exportInvoice(deps, 'pdf'),
    exportInvoice(deps, 'csv'),
    listEvents(deps),
    getEvent(deps),
    replayEvent(deps),
    replayEvents(deps),
    getWebhook(deps),
    setWebhook(deps),
    removeWebhook(deps),
    switchWebhook(deps, 'enable'),
    switchWebhook(deps, 'disable'),
    testWebhook(deps),
    rotateWebhookSecret(deps),
    retireWebhookSecret(deps),
    listKeys(deps),
    rotateKey(deps),
    retireKey(deps),
    listRequests(deps),
    describeBillers(deps),
    describeBiller(deps),
    listEnquiries(deps),
  ];
}
