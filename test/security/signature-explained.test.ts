import { expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { usualParams } from '../support/operation-samples.ts';
import { PATHS, encode, send } from '../support/vendor-client.ts';
import type { Params, WireRequest } from '../support/vendor-client.ts';

/** In the sandbox; test/e2e/production.test.ts checks that production explains nothing. */
const running = useService();

const WRONG = '0'.repeat(64);

async function errorOf(request: WireRequest): Promise<unknown> {
  const answer = await send(running.origin, request);
  expect(answer.status, answer.text).toBe(401);
  return answer.body.error?.[0];
}

const lookup = (params: Params) => encode(PATHS.lookup, { ...params, hash: WRONG }, 'json');
const invalid = {
  code: 'signature_invalid',
  text: 'The vendor or the signature is not valid',
  field: 'hash',
};

test('shows the text that has to be signed, and whether the vid is known', async () => {
  expect(await errorOf(lookup({ vid: 'demo', prefix: '722' }))).toEqual({
    ...invalid,
    signed_text: 'prefix=722&vid=demo',
    vid_known: true,
  });
  expect(await errorOf(lookup({ vid: 'nobody', prefix: '7 2+2%' }))).toEqual({
    ...invalid,
    signed_text: 'prefix=7 2+2%&vid=nobody',
    vid_known: false,
  });
});

test('explains the decoded reading of a form with two readings', async () => {
  const params = { vid: 'demo', account: '+1%202', account_type: 'gotv', hash: WRONG };
  expect(await errorOf(encode(PATHS.validate, params, 'raw'))).toEqual({
    ...invalid,
    signed_text: 'account= 1 2&account_type=gotv&vid=demo',
    vid_known: true,
  });
});

test('names the collector of a collection as known or not', async () => {
  const usual = usualParams('collect', 'nobody');
  for (const collector of ['demo-collector', 'nobody']) {
    const params = { ...usual, collector, hash: WRONG };
    expect(await errorOf(encode(PATHS.collect, params, 'json'))).toMatchObject({
      ...invalid,
      signed_text: expect.stringMatching(/^amount=10\.00&collector=/) as string,
      vid_known: collector === 'demo-collector',
    });
  }
});

test('shows the text of six lines of a header signature', async () => {
  const nonce = '0123456789abcdef';
  const header = `v2,t=1795236000,nonce=${nonce},sig=${WRONG}`;
  const request = encode(PATHS.lookup, { vid: 'demo', prefix: '722' }, 'query');
  expect(await errorOf({ ...request, headers: { 'X-Signature': header } })).toEqual({
    ...invalid,
    field: 'X-Signature',
    signed_text: [
      'v2',
      'POST',
      request.path,
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      '1795236000',
      nonce,
    ].join('\n'),
    vid_known: true,
  });
});

test('no key is shown or logged', async () => {
  const canary = '2547canary4711';
  for (const vid of ['demo', 'nobody']) {
    const answer = await send(running.origin, lookup({ vid, prefix: canary }));
    expect(answer.text).toContain(canary);
    expect(answer.text).not.toContain('security-key');
  }
  expect(running.logged()).not.toMatch(/2547canary4711|signed_text|signedText/);
});
