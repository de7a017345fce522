import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import type { NewVendor } from '../../src/parties/administer.ts';
import type { Sandbox } from './sandbox.ts';
import { until } from './until.ts';
import { PATHS, VendorClient, encode, send, signed } from './vendor-client.ts';
import type { Answer, BodyForm, Params } from './vendor-client.ts';

const COLLECTOR = { collector: 'demo-collector', key: 'demo-collector-key' };

let count = 0;

/** A text that is unique in this test run. */
export function fresh(prefix: string): string {
  count += 1;
  return `${prefix}-${process.pid}-${count}`;
}

export function demoVendor(sandbox: Sandbox, vid: 'demo' | 'demo2' = 'demo'): VendorClient {
  return new VendorClient(sandbox.origin, { vid, key: `${vid}-security-key` });
}

/** Reports income as a collector; `params` override the defaults. */
export async function collect(
  origin: string,
  params: Params & { readonly vid: string },
  form: BodyForm = 'urlencoded',
): Promise<Answer> {
  const usual = {
    collector: COLLECTOR.collector,
    reference: fresh('receipt'),
    amount: '1000.00',
    currency: 'KES',
    paid_at: '2026-01-05 09:00:00',
  };
  return await send(
    origin,
    encode(PATHS.collect, signed({ ...usual, ...params }, COLLECTOR.key), form),
  );
}

/** Adds a new vendor with this amount in its float, and waits until the service knows it. */
export async function addFundedVendor(
  sandbox: Sandbox,
  options: { readonly floatAmount: string } & Partial<NewVendor>,
): Promise<VendorClient> {
  const { floatAmount, ...settings } = options;
  const vendor = {
    vid: fresh('shop'),
    name: 'A test’s shop',
    sector: 'retail',
    referenceRequired: false,
    enquiryPolicy: 'open',
    ...settings,
  } as const;
  const { securityKey } = await addVendor(await sandbox.pool(), vendor, {
    masterKeys: await sandbox.masterKeys(),
    certain: false,
  });
  const client = new VendorClient(sandbox.origin, { vid: vendor.vid, key: securityKey });
  await until(`${vendor.vid} is known`, async () => (await client.call('balance')).status === 200);
  const collected = await collect(sandbox.origin, { vid: vendor.vid, amount: floatAmount });
  if (collected.status !== 200) throw new Error(`collect was refused: ${collected.text}`);
  await client.fund();
  return client;
}
