import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createSigning } from '../../../../../src/connectors/operators/http-json/signing.ts';

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('a signature of a request', () => {
  test.each(['', '{"reference":"A"}', '{"name":"Wanjikũ"}'])(
    'signs the body %j as the standard defines it',
    (body) => {
      const headers = createSigning(KEY).headers(body);
      const verified = new Webhook(KEY).verify(body, headers, { jsonParse: false });
      expect(verified).toBeUndefined();
      expect(createSigning(KEY).verify(body, headers)).toBe(true);
      expect(createSigning(KEY).verify(`${body} `, headers)).toBe(false);
    },
  );

  test('has another id each time', () => {
    const signing = createSigning(KEY);
    const ids = [signing.headers('a'), signing.headers('a')].map(
      (headers) => headers['webhook-id'],
    );
    expect(ids[0]).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  });
});
