import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openApi } from '../../../../src/cli/vendor/api.ts';
import type { Cli } from '../../../../src/cli/cli.ts';

test.each([
  ['7', 7],
  // Otherwise a service that is down would be asked again at once, all the time.
  ['Wed, 25 Nov 2026 07:28:00 GMT', undefined],
  ['-1', undefined],
])('reads Retry-After: %s', async (retryAfter, seconds) => {
  const server = createServer((_request, response) => {
    response.writeHead(503, { 'retry-after': retryAfter }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const surroundings = { environment: {} } as Cli['surroundings'];
  const { retryAfterSeconds } = await openApi({ surroundings }, { vid: 'demo', url })
    .call('GET', '/v1/events')
    .finally(() => server.close());
  expect(retryAfterSeconds).toBe(seconds);
});
