import type { CaseList } from '../../src/staff/cases.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { signedIn } from './console-client.ts';
import type { InProcessService } from './in-process-service.ts';
import { until } from './until.ts';
import { approveCase } from './approve-proposal.ts';

/**
 * A new vendor that owes us a payment: it failed, the vendor spent its float, and then the operator said
 * that it had paid. Needs simulated operators. Returns the payment's reference.
 */
export async function addOwingVendor(
  running: InProcessService,
  vid: string,
  incomeCents: bigint,
): Promise<string> {
  const { pool } = running.service;
  const vendor = await running.addVendor({ vid });
  const vendorId = (await findVendor(pool, vid))?.vendorId ?? 0;
  const ledgerMac = await openLedgerMac(pool, running.sealing.masterKeys);
  const income = { collector: 'demo-collector', reference: `${vid}-1`, paidAt: new Date() };
  await collect({ pool, ledgerMac }, { ...income, vendorId, amountCents: incomeCents });
  await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
  const pay = async (account: string, status: string): Promise<string> => {
    const payment = { biller_name: 'kplc_prepaid', amount: '100.00', account };
    const made = await vendor.accepted({ ...payment, merchant_reference: `${vid}-${account}` });
    await until(`the status ${status}`, async () => {
      return (await vendor.payment(made)).transaction_status === status;
    });
    return made;
  };
  const owed = await pay('14290019902', 'FAILED');
  await pay('14290029901', 'SUCCESS');
  await reportPaid(running, owed);
  await charge(running, owed);
  return owed;
}

async function reportPaid({ service }: InProcessService, reference: string): Promise<void> {
  const id = decodeReference(reference);
  if (id === undefined) throw new Error('no reference');
  await settlePayments(service.pool, [
    {
      ...id,
      billerCode: 'kplc_prepaid',
      outcome: 'success',
      paidCents: 10_000n,
      billerReference: 'LATE-1',
      message: 'paid after all',
      details: null,
      failureCode: null,
      source: 'callback',
      operatorCode: 'kplc',
    },
  ]);
}

/** One person proposes that the vendor pays, another one approves. */
async function charge({ origin }: InProcessService, reference: string): Promise<void> {
  const [finance, admin] = [await signedIn(origin, 'finance'), await signedIn(origin, 'admin')];
  const { cases } = await finance.read<CaseList>('/cases?kind=contradiction');
  const caseId = cases.find((row) => row.reference === reference)?.case ?? '';
  const proposal = { resolution: 'charge_vendor', reason: 'the operator’s list of today' };
  await finance.send('POST', `/cases/${caseId}/propose`, proposal);
  const { status, text } = await approveCase(admin, caseId);
  if (status >= 300) throw new Error(text);
}
