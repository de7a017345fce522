import { describe, expect, it } from 'vitest';

import { LIMITS } from '../../../../../src/platform/base/limits.ts';
import { readFields } from '../../../../../src/platform/http/wire/request.ts';
import { KnownNames } from '../../../../../src/platform/http/wire/parameters.ts';
import { parametersOf } from '../../../../support/parameters.ts';

const NAMES = parametersOf(['vid', 'amount', 'account', 'account_type', 'phone']);
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=edge';

const notUtf8 = {
  code: 'malformed_request',
  message: expect.stringMatching(/not valid UTF-8/) as string,
};

function post(contentType: string | undefined, body: string | Buffer, query = '') {
  return { contentType, body: Buffer.from(body), query };
}

function get(query: string) {
  return { contentType: undefined, body: undefined, query };
}

async function fieldsOf(request: ReturnType<typeof post> | ReturnType<typeof get>, names = NAMES) {
  return Object.fromEntries((await readFields(request, names)).fields);
}

async function refusalOf(request: ReturnType<typeof post> | ReturnType<typeof get>, names = NAMES) {
  try {
    const { refusal } = await readFields(request, names);
    if (refusal !== undefined) return refusal;
  } catch (error) {
    return error;
  }
  throw new Error('was not refused');
}

function multipart(...parts: readonly (readonly [disposition: string, value: string])[]) {
  return `${parts.map(([disposition, value]) => `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`).join('')}--edge--\r\n`;
}

describe('where parameters come from', () => {
  it('reads the query string, and nothing from nothing', async () => {
    expect(await fieldsOf(get('vid=demo&account=1'))).toEqual({ vid: 'demo', account: '1' });
    expect(await fieldsOf(get(''))).toEqual({});
    expect(await fieldsOf(post(JSON_TYPE, ''))).toEqual({});
    expect(await fieldsOf(post('text/plain', '', 'vid=demo'))).toEqual({ vid: 'demo' });
  });

  it('refuses a body together with a query string', async () => {
    const body = '{"vid":"demo"}';
    expect(await refusalOf(post(JSON_TYPE, body, 'vid=demo'))).toMatchObject({
      code: 'ambiguous_request',
    });
  });

  it('reads bytes of UTF-8 in a query string and refuses other bytes', async () => {
    const bytes = Buffer.from('account=Moï').toString('latin1');
    expect(await fieldsOf(get(bytes))).toEqual({ account: 'Moï' });
    for (const query of ['account=\u00ef', 'account=\u0141']) {
      expect(await refusalOf(get(query))).toMatchObject(notUtf8);
    }
  });
});

describe('content types', () => {
  it.each([
    [JSON_TYPE, '{"vid":"demo"}'],
    ['application/json; charset=UTF-8', '{"vid":"demo"}'],
    ['Application/JSON;charset="utf8"', '{"vid":"demo"}'],
    [FORM_TYPE, 'vid=demo'],
    [`${FORM_TYPE};charset=utf-8`, 'vid=demo'],
    [MULTIPART_TYPE, multipart(['name="vid"', 'demo'])],
    ['Multipart/Form-Data; Boundary="edge"; charset=utf-8', multipart(['name=vid', 'demo'])],
  ])('reads %s', async (contentType, body) => {
    expect(await fieldsOf(post(contentType, body))).toEqual({ vid: 'demo' });
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/vnd.api+json',
    'nonsense',
    'application/json; charset=iso-8859-15',
    `${FORM_TYPE}; charset=windows-1252`,
    'multipart/form-data; boundary=edge; charset=utf-16',
    'multipart/mixed; boundary=edge',
  ])('refuses %s', async (contentType) => {
    expect(await refusalOf(post(contentType, 'vid=demo'))).toMatchObject({
      code: 'unsupported_media_type',
      status: 415,
    });
  });

  it.each([
    [`${JSON_TYPE}; charset=ISO-8859-1`, '{"vid":"demo"}'],
    [`${JSON_TYPE}; charset="iso-8859-1"`, '{"vid":"demo"}'],
    [`${JSON_TYPE};charset=us-ascii`, '{"vid":"demo"}'],
    [`${FORM_TYPE}; charset=ISO-8859-1`, 'vid=demo'],
    [`${MULTIPART_TYPE}; charset=US-ASCII`, multipart(['name="vid"', 'demo'])],
  ])('reads %s as long as it is ASCII', async (contentType, body) => {
    expect(await fieldsOf(post(contentType, body))).toEqual({ vid: 'demo' });
    for (const encoding of ['latin1', 'utf8'] as const) {
      const other = Buffer.from(body.replace('demo', 'dém'), encoding);
      expect(await refusalOf(post(contentType, other))).toMatchObject({
        code: 'unsupported_media_type',
      });
    }
  });

  it.each([JSON_TYPE, FORM_TYPE, MULTIPART_TYPE])('refuses %s that is not UTF-8', async (type) => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3]]) {
      const body = Buffer.concat([Buffer.from('vid=demo'), Buffer.from(bytes)]);
      expect(await refusalOf(post(type, body))).toMatchObject(notUtf8);
    }
  });
});

describe('limits', () => {
  it('refuses a body, a query string and a value over their limits', async () => {
    const value = 'x'.repeat(LIMITS.valueLength);
    expect(await fieldsOf(get(`account=${value}`))).toEqual({ account: value });
    expect(await refusalOf(get(`account=${value}x`))).toMatchObject({
      code: 'payload_too_large',
      field: 'account',
    });
    const white = ' '.repeat(LIMITS.bodyBytes - 14);
    expect(await fieldsOf(post(JSON_TYPE, `{"vid":"demo"}${white}`))).toEqual({ vid: 'demo' });
    expect(await refusalOf(post(JSON_TYPE, `{"vid":"demo"}${white} `))).toMatchObject({
      code: 'payload_too_large',
    });
    expect(await fieldsOf(get(`vid=demo${'&'.repeat(LIMITS.queryBytes - 8)}`))).toEqual({
      vid: 'demo',
    });
    expect(await refusalOf(get(`vid=demo${'&'.repeat(LIMITS.queryBytes)}`))).toMatchObject({
      code: 'payload_too_large',
    });
  });

  it('refuses more parameters than the limit', async () => {
    const names = parametersOf(Array.from({ length: 65 }, (_, index) => `n${index}`));
    const pairs = [...names.names].slice(0, 65).map((name) => `${name}=1`);
    expect(Object.keys(await fieldsOf(get(pairs.slice(1).join('&')), names))).toHaveLength(64);
    expect(await refusalOf(get(pairs.join('&')), names)).toMatchObject({
      code: 'payload_too_large',
    });
  });

  it('refuses to build on names that could make the signed text ambiguous', () => {
    expect(() => readFields(get('vid=demo'), parametersOf(['vid', 'a=b']))).toThrow(TypeError);
    expect(() => readFields(get('vid=demo'), parametersOf(['vid', '']))).toThrow(TypeError);
  });
});

describe('characters of values, in every body form', () => {
  const forms = {
    query: (value: string) => get(`account=${encodeURIComponent(value)}`),
    form: (value: string) => post(FORM_TYPE, `account=${encodeURIComponent(value)}`),
    json: (value: string) => post(JSON_TYPE, JSON.stringify({ account: value })),
    multipart: (value: string) => post(MULTIPART_TYPE, multipart(['name="account"', value])),
  };
  const forbidden = [
    0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1f, 0x7f, 0x80, 0x85, 0x9f, 0x61c, 0x200e, 0x200f, 0x202a,
    0x202e, 0x2066, 0x2069, 0xfeff, 0xfffd,
  ];

  it.each(Object.keys(forms) as (keyof typeof forms)[])('%s refuses', async (form) => {
    for (const code of forbidden) {
      for (const value of [String.fromCodePoint(code), `Moi${String.fromCodePoint(code)}x`]) {
        const reading = refusalOf(forms[form](value));
        expect(await reading, code.toString(16)).toMatchObject({ code: 'malformed_request' });
      }
    }
  });

  it.each(Object.keys(forms) as (keyof typeof forms)[])('%s keeps', async (form) => {
    const value = ' ~!"#$%\'()*+,-./:;<=>?@[\\]^_`{|}é e\u0301 😀 \u00a0\u2028 & && &x= &vid ';
    expect(await fieldsOf(forms[form](value))).toEqual({ account: value });
  });

  it('names the parameter', async () => {
    expect(await refusalOf(forms.json('\u0001'))).toMatchObject({ field: 'account' });
    expect(await refusalOf(post(FORM_TYPE, 'vid=demo&account=%00'))).toMatchObject({
      field: 'account',
    });
  });

  it.each(Object.keys(forms) as (keyof typeof forms)[])(
    '%s refuses a value with the name of another parameter after &',
    async (form) => {
      for (const name of NAMES.names) {
        expect(await refusalOf(forms[form](`1&${name}=2`)), name).toMatchObject({
          code: 'ambiguous_value',
          field: 'account',
        });
      }
    },
  );

  it.each(Object.keys(forms) as (keyof typeof forms)[])(
    '%s refuses a value with a name of another operation, or `hash`, after &',
    async (form) => {
      const known = new KnownNames();
      const balance = known.signed(['account']);
      const list = known.unsigned(['account']);
      known.signed(['sha256']);
      for (const operation of [balance, list]) {
        for (const name of ['sha256', 'hash']) {
          expect(await refusalOf(forms[form](`1&${name}=2`), operation)).toMatchObject({
            code: 'ambiguous_value',
            field: 'account',
          });
        }
        const value = '1&sha255=2&sha256 =3';
        expect(await fieldsOf(forms[form](value), operation)).toEqual({ account: value });
      }
    },
  );
});

describe('an operation without a signature', () => {
  const list = new KnownNames().unsigned(['vid', 'biller_code']);

  it.each([
    get('vid=demo&hash=00&hash=11'),
    get('_=1&vid=demo&_=2&100'),
    get('vid=demo&x=%zz&__proto__=1&=1&&'),
    get('vid=demo&account=1&amount=2&x=&hash=%'),
    post(FORM_TYPE, 'hash=1&vid=demo&x=\u0000&vid2=a&x=b'),
    post(JSON_TYPE, '{"hash":"0","vid":"demo","hash":null}'),
    post(JSON_TYPE, '{"x":{"vid":["other",{"y":"}]\\""}],"z":{}},"vid":"demo","x":[]}'),
    post(JSON_TYPE, '{"x" : true ,"y":false,"z":-1.5e3 , "vid":"demo","__proto__":null}'),
    post(JSON_TYPE, `{"x":${'['.repeat(4000)}${']'.repeat(4000)},"vid":"demo"}`),
    post(JSON_TYPE, `{"x":"${'x'.repeat(4000)}","vid":"demo"}`),
    post(MULTIPART_TYPE, multipart(['name="hash"', '0'], ['name="vid"', 'demo'])),
    post(
      MULTIPART_TYPE,
      multipart(['name="x"; filename="x"', '0'], ['name=vid', 'demo'], ['name="x"', '1']),
    ),
  ])('ignores `hash` and unknown names, whatever their values: %j', async (request) => {
    expect(await fieldsOf(request, list)).toEqual({ vid: 'demo' });
  });

  it.each([
    ['ambiguous_request', get('vid=demo&vid=demo')],
    ['ambiguous_request', post(JSON_TYPE, '{"vid":"demo","x":1,"vid":"demo"}')],
    ['malformed_request', get('vid')],
    ['malformed_request', get('x=1&vid=%')],
    ['nested_value', post(JSON_TYPE, '{"vid":["demo"]}')],
    ['nested_value', post(MULTIPART_TYPE, multipart(['name="vid"; filename="x"', 'demo']))],
    ...[
      '{"x":}',
      '{"x":,"vid":"demo"}',
      '{"x":[1,],"vid":"demo"}',
      '{"x":{"y"},"vid":"demo"}',
      '{"x":[}],"vid":"demo"}',
      '{"x":[],"vid":"demo"',
      '{"x":[',
      '{"x":"',
      '{"x":1 2,"vid":"demo"}',
      '{"x":01,"vid":"demo"}',
      '{"x":tru,"vid":"demo"}',
      '{"x":"\u0001","vid":"demo"}',
      '{"x":"\\x","vid":"demo"}',
      '{"x":\u00a01,"vid":"demo"}',
      '{"x":1,}',
    ].map((body) => ['malformed_request', post(JSON_TYPE, body)] as const),
  ] as const)('is as strict as any other about the rest: %s %j', async (code, request) => {
    expect(await refusalOf(request, list)).toMatchObject({ code });
  });

  it('has one reading of a form, because nothing could tell two apart', async () => {
    for (const query of ['vid=a+b', 'vid=%41', 'vid=a&&biller_code=1']) {
      expect(await readFields(get(query), list)).not.toHaveProperty('raw');
    }
  });
});
