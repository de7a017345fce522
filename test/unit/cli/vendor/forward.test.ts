import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { forward } from '../../../../src/cli/vendor/forward.ts';
import { startWebhookReceiver } from '../../../support/webhook-receiver.ts';

const event = {
  webhook_id: 'evt_1',
  type: 'transaction.failed',
  reference: null,
  payload: {},
  delivery: { state: 'waiting' },
};
const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;

/** The results of the first two attempts at most. */
async function resultsOf(answer: (response: ServerResponse) => void): Promise<unknown[]> {
  const receiver = await startWebhookReceiver(answer);
  const ending = new AbortController();
  const results: unknown[] = [];
  const { signal } = ending;
  for await (const one of forward(event, { url: receiver.url, secret, signal })) {
    results.push([one.result.text, one.retryInMs]);
    if (results.length === 2) ending.abort();
  }
  await receiver.close();
  return results;
}

test.each<[string, (response: ServerResponse) => void, unknown[]]>([
  ['an answer', (response) => response.writeHead(500).end(), [['HTTP 500', undefined]]],
  [
    'a long page about an error, as frameworks send it',
    (response) => response.writeHead(500).end('x'.repeat(100_000)),
    [['HTTP 500, but the answer is too large', undefined]],
  ],
  [
    'no answer',
    (response) => response.destroy(),
    [
      ['the connection was closed', 1_000],
      ['the connection was closed', 2_000],
    ],
  ],
])('%s', async (_, answer, results) => {
  expect(await resultsOf(answer)).toEqual(results);
});
