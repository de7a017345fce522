import { createSecretKey } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { canonicalText } from '../../../../../src/platform/base/canonical.ts';
import type { Reading } from '../../../../../src/platform/base/canonical.ts';
import { readForm } from '../../../../../src/platform/http/wire/form.ts';
import { readFields } from '../../../../../src/platform/http/wire/request.ts';
import { sign, verify } from '../../../../../src/parties/signature.ts';
import { parametersOf } from '../../../../support/parameters.ts';

const NAMES = parametersOf([
  'vid',
  'amount',
  'account',
  'account_type',
  'physicalAddress',
  'phone',
]);
const key = createSecretKey(Buffer.from('demo-security-key'));

const signerOf = () => ({ keys: [key] });
const hashOf = (params: Record<string, string>) =>
  sign(canonicalText(new Map(Object.entries(params))), key);

const decoded = (text: string) => {
  const reading = readForm(text, NAMES);
  if (reading.refusal !== undefined) throw reading.refusal;
  return Object.fromEntries(reading.fields);
};
const raw = (reading: Reading) => {
  const fields = reading.refusal === undefined ? reading.raw?.() : reading.fields;
  return fields === undefined ? undefined : Object.fromEntries(fields);
};
const refusalOf = (text: string) => {
  try {
    return readForm(text, NAMES).refusal;
  } catch (error) {
    return error;
  }
};

describe('the decoded reading of a form', () => {
  it('turns + into space and %XX into UTF-8, in names too', () => {
    expect(decoded('account=a+b%2Bc%26&%76id=%C3%A9%F0%9F%98%80&account_type=a=b')).toEqual({
      account: 'a b+c&',
      vid: 'é😀',
      account_type: 'a=b',
    });
  });

  it('keeps empty text and skips empty pairs', () => {
    expect(decoded('&vid=demo&&account=&')).toEqual({ vid: 'demo', account: '' });
  });

  it.each(['%', '%4', '%zz', '%u0041', '%C3', '%C3%28', '%C0%AF', '%ED%A0%80', '%FF'])(
    'refuses the escape %s',
    (escape) => {
      expect(refusalOf(`account=${escape}`)).toMatchObject({
        code: 'malformed_request',
        field: 'account',
      });
      // In an unencoded form it is a name, and an unknown one.
      expect(refusalOf(`${escape}=1`)).toMatchObject({ code: 'unknown_field', field: escape });
    },
  );

  it('refuses names that come twice, even when nothing else is wrong', () => {
    const twice = { code: 'ambiguous_request', field: 'vid' };
    expect(refusalOf('vid=a&vid=a')).toMatchObject(twice);
    expect(refusalOf('vid=a&%76id=a')).toMatchObject(twice);
  });

  it.each(['constructor', '__proto__', 'VID', 'vid[]', 'vid '])('refuses the name %s', (name) => {
    expect(refusalOf(`${encodeURIComponent(name)}=1`)).toMatchObject({
      code: 'unknown_field',
      field: name,
    });
  });

  it('refuses a pair without a name or without =', () => {
    expect(refusalOf('=1')).toMatchObject({ code: 'unknown_field', field: undefined });
    expect(refusalOf('vid')).toMatchObject({ code: 'malformed_request' });
  });

  it('tells a client that sends JSON as a form what to do', () => {
    expect(refusalOf('{"vid":"demo"}')).toMatchObject({
      code: 'malformed_request',
      message: expect.stringContaining('application/json'),
    });
  });
});

describe('the undecoded reading of a form', () => {
  it('the undecoded reading is offered only where it can differ', () => {
    for (const text of ['', 'vid=demo', 'vid=demo&account=a b&phone=']) {
      expect(readForm(text, NAMES).raw).toBeUndefined();
    }
    for (const text of ['vid=a+b', 'vid=%41', 'vid=a&&phone=1', 'vid=a&']) {
      expect(readForm(text, NAMES).raw).toBeDefined();
    }
  });

  it('keeps +, % and every & without a following name and =', () => {
    const text = 'account=a+b%20&physicalAddress=Moi & Sons && 5% &vid &vid=demo&';
    const reading = readForm(text, NAMES);
    expect(raw(reading)).toEqual({
      account: 'a+b%20',
      physicalAddress: 'Moi & Sons && 5% &vid ',
      vid: 'demo&',
    });
  });

  it('has the same rules for names and values', () => {
    for (const text of ['vid=a+&vid=b', 'x+=1', '+vid=a', 'account=+\u0001', 'vid']) {
      try {
        expect(readForm(text, NAMES).raw?.()).toBeUndefined();
      } catch (error) {
        expect(error).toHaveProperty('name', 'Refusal');
      }
    }
  });

  it.each([
    ['vid=demo&physicalAddress=A & B=C', ' B'],
    ['vid=demo&extra=1', 'extra'],
    ['extra=1&vid=demo', 'extra'],
    ['vid=demo&account=1&time=1', 'time'],
    ['vid=demo&account=1&ti%6De=1', 'time'],
    ['vid=demo&physicalAddress=Moi & Sons&time=1', 'time'],
    ['vid=demo&physicalAddress=Moi & Sons&sha256=1&phone=2', 'sha256'],
    ['vid=demo&physicalAddress=100%&x.y[]=1', 'x.y[]'],
    ['vid=demo&physicalAddress=100% &=1', undefined],
  ])('%s: an unknown name is never part of a value', (text, field) => {
    expect(refusalOf(text)).toMatchObject({ code: 'unknown_field', field });
  });

  it('the undecoded reading is refused for an unknown name even if the decoded reading has none', () => {
    // Decoded, the last name is `phone`.
    const reading = readForm('vid=demo&account=1%202&ph%6Fne=1', NAMES);
    expect(reading.refusal).toBeUndefined();
    expect(reading.raw?.()).toBeUndefined();
  });
});

/** The signed text itself as the body, un-encoded, as PHP clients build it by hand. */
function unencoded(params: Record<string, string>): Buffer {
  const pairs = Object.entries({ ...params, hash: hashOf(params) });
  return Buffer.from(pairs.map(([name, value]) => `${name}=${value}`).join('&'));
}

async function verifies(contentType: string, body: Buffer, names: readonly string[]) {
  const reading = await readFields({ contentType, body, query: '' }, parametersOf(names));
  const fields = verify(reading, signerOf)?.fields;
  return fields === undefined ? undefined : Object.fromEntries(fields);
}

describe('bodies as real clients send them', () => {
  const form = 'application/x-www-form-urlencoded';

  it('reads a create as multipart, built by cURL from an array', async () => {
    const params = {
      vid: 'demo',
      biller_name: 'safaricom',
      amount: '10.00',
      account: '254700000001',
      merchant_reference: '65f1c0a3b2d4e',
      phone: '254700000001',
    };
    const edge = '------------------------d74496d66958873e';
    const part = (name: string, value: string) =>
      `--${edge}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const all = { ...params, hash: hashOf(params) };
    const parts = Object.entries(all).map(([name, value]) => part(name, value));
    const body = Buffer.from(`${parts.join('')}--${edge}--\r\n`);
    const type = `multipart/form-data; boundary=${edge}`;
    expect(await verifies(type, body, Object.keys(all))).toEqual(all);
  });

  it.each([
    { account: '37200009901', account_type: 'kplc_prepaid', vid: 'demo' },
    { account: '12+34', account_type: 'nairobi_water', phone: '+254700000001', vid: 'demo' },
    { reference: 'ABC123', vid: 'demo' },
    { currency: 'KES', time: '1767225600', vid: 'demo' },
    { currency: 'KES', time: '2026-01-01 03:00:00', vid: 'demo' },
    { physicalAddress: 'Moi & Sons, 100% +', requestReference: 'A1', vid: 'demo' },
    { physicalAddress: 'Moi &', requestReference: '%41', vid: 'demo' },
  ])('reads an un-encoded text as the body: %j', async (params) => {
    const all = { ...params, hash: hashOf(params) };
    expect(await verifies(form, unencoded(params), Object.keys(all))).toEqual(all);
    const encoded = Buffer.from(new URLSearchParams(all).toString());
    expect(await verifies(form, encoded, Object.keys(all))).toEqual(all);
  });

  it('balance and lists in the query string', async () => {
    const query = `vid=demo&hash=${hashOf({ vid: 'demo' })}`;
    const request = { contentType: undefined, body: undefined, query };
    const reading = await readFields(request, parametersOf(['vid']));
    expect(verify(reading, signerOf)?.fields.get('vid')).toBe('demo');
  });

  it('an altered unencoded body is refused for the fault of the decoded reading', async () => {
    const params = { physicalAddress: 'Moi & Sons', vid: 'demo' };
    const body = Buffer.from(unencoded(params).toString().replace('Sons', 'Song'));
    const request = { contentType: form, body, query: '' };
    const reading = await readFields(request, parametersOf(Object.keys(params)));
    expect(verify(reading, signerOf)).toBeUndefined();
    expect(reading.refusal).toMatchObject({ code: 'malformed_request' });
  });
});
