import { describe, expect, test } from 'vitest';
import { findBreaks } from '../../../scripts/openapi-compatibility.ts';

type Schema = Record<string, unknown>;

interface ObjectSchema extends Schema {
  required: string[];
  properties: Record<string, Schema>;
}

// A type, not an interface: those do not count as records.
type Contract = {
  info: { version: string };
  components: {
    schemas: { PayRequest: ObjectSchema; PayAnswer: ObjectSchema };
    responses: { Refusal: { content: { 'application/json': { schema: ObjectSchema } } } };
  };
  paths: {
    '/pay': {
      post: {
        requestBody: { required: boolean; content: Record<string, object> };
        responses: Record<string, object>;
      };
    };
    '/balance': {
      get: { parameters: { name: string; in: string; required: boolean; schema?: Schema }[] };
    };
  };
};

/** A small contract; tests change a copy of it. */
function contract(): Contract {
  const payRequest = { schema: { $ref: '#/components/schemas/PayRequest' } };
  const refusal = { $ref: '#/components/responses/Refusal' };
  return {
    info: { version: '2.0.0' },
    components: {
      schemas: {
        PayRequest: {
          type: 'object',
          required: ['vid', 'amount'],
          additionalProperties: false,
          properties: {
            vid: { type: 'string', pattern: '^[a-z]+$', maxLength: 64 },
            amount: { type: 'string', description: 'In KES.' },
            phone: { type: 'string' },
            currency: { type: 'string', enum: ['KES', 'USD'] },
          },
        },
        PayAnswer: {
          type: 'object',
          required: ['header_status', 'msg'],
          properties: {
            header_status: { type: 'integer' },
            note: { type: 'string' },
            msg: {
              type: 'object',
              required: ['state', 'reference', 'entries'],
              properties: {
                state: { type: 'string', enum: ['DONE', 'OPEN'] },
                reference: { anyOf: [{ type: 'string', pattern: '^A' }, { type: 'null' }] },
                entries: {
                  type: 'array',
                  items: { type: 'object', properties: { amount: { type: 'number' } } },
                },
              },
            },
          },
        },
      },
      responses: {
        Refusal: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['error'],
                properties: { error: { type: 'string' } },
              },
            },
          },
        },
      },
    },
    paths: {
      '/pay': {
        post: {
          requestBody: {
            required: true,
            content: { 'application/json': payRequest, 'multipart/form-data': payRequest },
          },
          responses: {
            200: {
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/PayAnswer' } },
              },
            },
            404: refusal,
            default: refusal,
          },
        },
      },
      '/balance': {
        get: {
          parameters: [{ name: 'vid', in: 'query', required: true, schema: { type: 'string' } }],
        },
      },
    },
  };
}

type Change = (changed: Contract) => void;

function breaksAfter(change: Change): string[] {
  const changed = contract();
  change(changed);
  return findBreaks(contract(), changed);
}

const request = (changed: Contract) => changed.components.schemas.PayRequest;
const answer = (changed: Contract) => changed.components.schemas.PayAnswer;
const msg = (changed: Contract) => answer(changed).properties['msg'] as ObjectSchema;

const BREAKING: Record<string, [Change, string]> = {
  'a path is gone': [
    (changed) => Reflect.deleteProperty(changed.paths, '/pay'),
    'POST /pay: removed',
  ],
  'a method is gone': [
    (changed) => Reflect.deleteProperty(changed.paths['/balance'], 'get'),
    'GET /balance: removed',
  ],
  'a body form is gone': [
    (changed) =>
      Reflect.deleteProperty(changed.paths['/pay'].post.requestBody.content, 'multipart/form-data'),
    'POST /pay multipart/form-data: removed',
  ],
  'the success answer is gone': [
    (changed) => Reflect.deleteProperty(changed.paths['/pay'].post.responses, '200'),
    'POST /pay 200: removed',
  ],
  'an answer field that was always there is gone': [
    (changed) => {
      answer(changed).required = ['msg'];
      Reflect.deleteProperty(answer(changed).properties, 'header_status');
    },
    'POST /pay 200.header_status: no longer always there',
  ],
  'an answer field became optional': [
    (changed) => (msg(changed).required = ['state', 'entries']),
    'POST /pay 200.msg.reference: no longer always there',
  ],
  'the type of an answer field changed': [
    (changed) => (answer(changed).properties['header_status'] = { type: 'string' }),
    'POST /pay 200.header_status: type integer became string',
  ],
  'a field deep in a list changed': [
    (changed) => {
      msg(changed).properties['entries'] = {
        type: 'array',
        items: { type: 'object', properties: { amount: { type: 'string' } } },
      };
    },
    'POST /pay 200.msg.entries[].amount: type number became string',
  ],
  'an optional answer field changed': [
    (changed) => (answer(changed).properties['note'] = { type: 'object' }),
    'POST /pay 200.note: type string became object',
  ],
  'an answer may be null where it was not': [
    (changed) => (answer(changed).properties['header_status'] = { type: ['integer', 'null'] }),
    'POST /pay 200.header_status: type integer became null',
  ],
  'an answer has values it had not': [
    (changed) =>
      (msg(changed).properties['state'] = { type: 'string', enum: ['DONE', 'OPEN', 'LOST'] }),
    'POST /pay 200.msg.state: values altered',
  ],
  'the form of an answer changed': [
    (changed) =>
      (msg(changed).properties['reference'] = {
        anyOf: [{ type: 'string', pattern: '^B' }, { type: 'null' }],
      }),
    'POST /pay 200.msg.reference: pattern altered',
  ],
  'the refusal changed': [
    (changed) =>
      (changed.components.responses.Refusal.content['application/json'].schema.required = []),
    'POST /pay default.error: no longer always there',
  ],
  'an optional parameter became required': [
    (changed) => request(changed).required.push('phone'),
    'POST /pay application/json.phone: became required',
  ],
  'a new parameter is required': [
    (changed) => {
      request(changed).properties['pin'] = { type: 'string' };
      request(changed).required.push('pin');
    },
    'POST /pay application/json.pin: became required',
  ],
  'a parameter is gone': [
    (changed) => Reflect.deleteProperty(request(changed).properties, 'phone'),
    'POST /pay application/json.phone: removed',
  ],
  'the type of a parameter changed': [
    (changed) => (request(changed).properties['amount'] = { type: 'number' }),
    'POST /pay application/json.amount: type string became number',
  ],
  'a parameter takes fewer values': [
    (changed) => (request(changed).properties['currency'] = { type: 'string', enum: ['KES'] }),
    'POST /pay application/json.currency: values altered',
  ],
  'a parameter has a form it had not': [
    (changed) => (request(changed).properties['amount'] = { type: 'string', pattern: '^1' }),
    'POST /pay application/json.amount: pattern altered',
  ],
  'a parameter lost one of its forms': [
    (changed) =>
      (request(changed).properties['vid'] = { type: 'string', pattern: '^[a-z', maxLength: 64 }),
    'POST /pay application/json.vid: pattern altered',
  ],
  'a parameter is shorter at most': [
    (changed) =>
      (request(changed).properties['vid'] = { type: 'string', pattern: '^[a-z]+$', maxLength: 8 }),
    'POST /pay application/json.vid: maxLength altered',
  ],
  'a query parameter is gone': [
    (changed) => (changed.paths['/balance'].get.parameters = []),
    'GET /balance query vid: removed',
  ],
  'a query parameter is new and required': [
    (changed) =>
      changed.paths['/balance'].get.parameters.push({
        name: 'hash',
        in: 'query',
        required: true,
      }),
    'GET /balance query hash: became required',
  ],
};

const HARMLESS: Record<string, Change> = {
  nothing: () => undefined,
  'a new operation': (changed) =>
    Object.assign(changed.paths, { '/list': { get: { responses: {} } } }),
  'a new answer field': (changed) => {
    answer(changed).properties['extra'] = { type: 'string' };
    answer(changed).required.push('extra');
  },
  'an optional answer field is gone': (changed) =>
    Reflect.deleteProperty(answer(changed).properties, 'note'),
  'an answer is never null any more': (changed) =>
    (msg(changed).properties['reference'] = { type: 'string', pattern: '^A' }),
  'a new optional parameter': (changed) =>
    (request(changed).properties['note'] = { type: 'string' }),
  'a parameter is no longer required': (changed) => (request(changed).required = ['vid']),
  'a parameter takes more': (changed) => {
    request(changed).properties['vid'] = { type: 'string', maxLength: 128 };
    request(changed).properties['currency'] = { type: 'string', enum: ['KES', 'USD', 'UGX'] };
  },
  'a parameter has one form more': (changed) =>
    (request(changed).properties['vid'] = {
      type: 'string',
      pattern: '^[a-z]+$|^[0-9]+$',
      maxLength: 64,
    }),
  'a refusal no longer occurs': (changed) =>
    Reflect.deleteProperty(changed.paths['/pay'].post.responses, '404'),
  'other words': (changed) =>
    (request(changed).properties['amount'] = { type: 'string', description: 'In shillings.' }),
};

describe('a change of the contract', () => {
  test.each(Object.entries(BREAKING))('breaks clients when %s', (_name, [change, line]) => {
    expect(breaksAfter(change)).toContain(line);
  });

  test.each(Object.entries(BREAKING))(
    'with a new major version a change may be: %s',
    (_name, [change]) => {
      const breaks = breaksAfter((changed) => {
        change(changed);
        changed.info.version = '3.0.0';
      });
      expect(breaks).toEqual([]);
    },
  );

  test.each(Object.entries(HARMLESS))('breaks nobody: %s', (_name, change) => {
    expect(breaksAfter(change)).toEqual([]);
  });

  test('a breaking change with a new minor version still breaks', () => {
    const breaks = breaksAfter((changed) => {
      Reflect.deleteProperty(changed.paths, '/pay');
      changed.info.version = '2.1.0';
    });
    expect(breaks).toEqual(['POST /pay: removed']);
  });
});
