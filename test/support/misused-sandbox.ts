import { afterAll, beforeAll, expect } from 'vitest';
import { addFundedVendor } from './demo-vendors.ts';
import { SandboxFixture } from './sandbox.ts';
import type { Sandbox } from './sandbox.ts';
import { until } from './until.ts';
import { send } from './vendor-client.ts';
import type { Answer, VendorClient, WireRequest } from './vendor-client.ts';

/** A sandbox for hostile requests, with a vendor that has money. */
export interface MisusedSandbox {
  readonly origin: string;
  readonly vendor: VendorClient;
  send(request: WireRequest): Promise<Answer>;
  /** Afterwards the service still pays, and has logged no internal error. */
  expectUnharmed(): Promise<void>;
}

/** Starts one for the tests of a file, and ends it after them. */
export function useMisusedSandbox(): MisusedSandbox {
  const fixture = new SandboxFixture();
  let sandbox: Sandbox;
  let vendor: VendorClient;
  beforeAll(async () => {
    sandbox = await fixture.start({ env: { FUND_WINDOW_SECONDS: '86400' } });
    vendor = await addFundedVendor(sandbox, { floatAmount: '1000000.00' });
  });
  afterAll(async () => await fixture.cleanUp());
  return {
    get origin() {
      return sandbox.origin;
    },
    get vendor() {
      return vendor;
    },
    send: async (request) => await send(sandbox.origin, request),
    expectUnharmed: async () => {
      const reference = await vendor.accepted({ account: '254722999999' });
      await until('it is paid', async () => {
        return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
      });
      expect(sandbox.process.ending).toBeUndefined();
      const faults = sandbox.process.stderr
        .split('\n')
        .filter((line) => /"level":"(error|fatal)"/.test(line));
      expect(faults).toEqual([]);
    },
  };
}
