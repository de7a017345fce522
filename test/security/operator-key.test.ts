import { expect, test } from 'vitest';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { createSigning } from '../../src/connectors/operators/http-json/signing.ts';
import { setOperatorKey } from '../../src/payments/billers/administer-operator-key.ts';
import { newSharedSecret } from '../../src/parties/keys.ts';
import { useService } from '../support/use-service.ts';
import { send } from '../support/vendor-client.ts';

const running = useService();

const body = JSON.stringify({ status: 'processing', reference: '0'.repeat(32) });

/** The HTTP status of a callback that the operator signs with this key. */
async function callback(key: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...createSigning(key).headers(body) };
  const answer = await send(running.origin, {
    method: 'POST',
    path: '/callbacks/kplc',
    headers,
    body,
  });
  return answer.status;
}

test('callbacks are accepted under both keys of an operator during the overlap, and no longer', async () => {
  const { pool, catalogue } = running.service;
  const set = async (secret: string, overlapSeconds: number): Promise<void> => {
    const rotation = { sealing: running.sealing, overlapSeconds, sameAccount: true };
    await setOperatorKey(pool, 'kplc', { secret, ...rotation });
    await catalogue.reload();
  };
  const [second, third] = [newSharedSecret(), newSharedSecret()];
  expect(await callback(SANDBOX_OPERATOR_KEY)).toBe(200);
  expect(await callback(second)).toBe(401);
  await set(second, 3600);
  expect([await callback(SANDBOX_OPERATOR_KEY), await callback(second)]).toEqual([200, 200]);
  // A key that expires ends without a reload.
  await pool.query(
    `select end_key(holder_kind, holder, key_id, now() + interval '1 second') from security_keys
     where holder_kind = 'operator' and holder = 'kplc' and valid_until is not null`,
  );
  await catalogue.reload();
  await expect
    .poll(async () => await callback(SANDBOX_OPERATOR_KEY), { timeout: 10_000 })
    .toBe(401);
  expect(await callback(second)).toBe(200);
  await set(third, 0);
  expect([await callback(second), await callback(third)]).toEqual([401, 200]);
});
