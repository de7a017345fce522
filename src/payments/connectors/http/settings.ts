import { Type } from 'typebox';
import type { Static } from 'typebox';
import { CONNECTION_SETTINGS } from '../connection.ts';
import { createSettingsReader } from '../protocol.ts';

const expression = Type.String({ minLength: 1, maxLength: 4_000 });
const text = Type.String({ minLength: 1, maxLength: 500 });
const expressions = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$' }), expression, {
  maxProperties: 16,
  additionalProperties: false,
});
const closed = { additionalProperties: false } as const;

/** What the operator's answer may mean. */
export const CLASSES = [
  'paid',
  'declined',
  'declined:invalid_account',
  'declined:amount_not_allowed',
  'declined:operator_refused',
  'not_sent',
  'not_sent:operator_paused',
  'not_found',
  'reversed',
  'unknown',
] as const;
export type AnswerClass = (typeof CLASSES)[number];

const request = {
  method: Type.Optional(
    Type.Union([Type.Literal('POST'), Type.Literal('PUT'), Type.Literal('GET')]),
  ),
  /** A template, values percent-encoded. */
  path: Type.String({ pattern: '^/[ -~]{0,500}$' }),
  /** Expressions that yield an object; or an XML template. At most one. */
  json: Type.Optional(expression),
  form: Type.Optional(expression),
  xml: Type.Optional(Type.String({ minLength: 1, maxLength: 8_000 })),
};
const answer = {
  /** Under which HTTP statuses an answer is believed. Default: 200. */
  http_status: Type.Optional(
    Type.Array(Type.Integer({ minimum: 200, maximum: 599 }), { maxItems: 20 }),
  ),
  code: expression,
  classes: Type.Record(
    text,
    Type.Unsafe<AnswerClass>(Type.Union(CLASSES.map((one) => Type.Literal(one)))),
    closed,
  ),
  /** Whether the answer is about what was asked. */
  about: Type.Optional(expression),
  message: Type.Optional(expression),
};
const operation = Type.Object(
  {
    ...request,
    answer: Type.Object(
      {
        ...answer,
        operator_reference: Type.Optional(expression),
        amount: Type.Optional(expression),
        details: Type.Optional(expressions),
        handle: Type.Optional(expression),
      },
      closed,
    ),
  },
  closed,
);

export const SETTINGS = Type.Object(
  {
    ...CONNECTION_SETTINGS,
    declaration: Type.Object(
      {
        title: text,
        source: text,
        /** What proves that nothing was executed? */
        proof_of_non_execution: Type.Array(text, { minItems: 1, maxItems: 20 }),
        not_proof: Type.Array(text, { maxItems: 20 }),
        caller_key: Type.Union([
          Type.Literal('answers_again'),
          Type.Literal('refuses_reuse'),
          Type.Literal('none'),
        ]),
      },
      closed,
    ),
    /** null: "not found" is never proof. */
    acceptance_window_ms: Type.Union([
      Type.Integer({ minimum: 0, maximum: 86_400_000 }),
      Type.Null(),
    ]),
    case_after_ms: Type.Union([
      Type.Integer({ minimum: 60_000, maximum: 86_400_000 }),
      Type.Null(),
    ]),
    constants: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** Our id for one attempt; stored before it is sent. */
    handle: Type.Optional(expression),
    auth: Type.Union([
      Type.Object({ kind: Type.Literal('none') }, closed),
      Type.Object({ kind: Type.Literal('headers'), headers: expressions }, closed),
      Type.Object({ kind: Type.Literal('basic'), user: expression, password: expression }, closed),
      Type.Object(
        {
          kind: Type.Literal('oauth'),
          ...request,
          /** The token, and for how many seconds it lives, from `body`. */
          token: expression,
          life_seconds: expression,
        },
        closed,
      ),
    ]),
    pay: operation,
    status: Type.Optional(operation),
    validate: Type.Optional(
      Type.Object(
        {
          ...request,
          answer: Type.Object(
            {
              http_status: answer.http_status,
              /** Boolean; anything else: no answer. */
              valid: expression,
              message: Type.Optional(expression),
              name: Type.Optional(expression),
              amount_due: Type.Optional(expression),
              due_date: Type.Optional(expression),
            },
            closed,
          ),
        },
        closed,
      ),
    ),
    balance: Type.Optional(
      Type.Object(
        {
          ...request,
          answer: Type.Object({ http_status: answer.http_status, balance: expression }, closed),
        },
        closed,
      ),
    ),
    /** Not believed: it makes us ask. One of the two. */
    callback: Type.Optional(
      Type.Object(
        {
          handle: Type.Optional(expression),
          reference: Type.Optional(expression),
          /** The part of `body` that is like the answer to a status query. */
          answer: Type.Optional(expression),
          accepted_body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        },
        closed,
      ),
    ),
  },
  closed,
);

export type HttpSettings = Static<typeof SETTINGS>;
export type RequestSettings = Pick<
  HttpSettings['pay'],
  'method' | 'path' | 'json' | 'form' | 'xml'
>;
export type OperationSettings = HttpSettings['pay'];

export const readHttpSettings = createSettingsReader(SETTINGS);

/** The classes that each operation may use: only an instruction can be `not_sent`, say. */
const FITTING: Readonly<Record<'pay' | 'status', (one: AnswerClass) => boolean>> = {
  pay: (one) => one !== 'not_found' && one !== 'reversed',
  status: (one) => !one.startsWith('not_sent'),
};

/** What the schema cannot say. Throws: `Error` with the place. */
export function requireConsistent(settings: HttpSettings): void {
  for (const name of ['pay', 'status'] as const) {
    const operationSettings = settings[name];
    if (operationSettings === undefined) continue;
    const { classes, amount, operator_reference: reference } = operationSettings.answer;
    for (const [code, one] of Object.entries(classes)) {
      if (!FITTING[name](one)) {
        throw new Error(`${name}.answer.classes: “${code}” cannot be ${one} there`);
      }
    }
    const canBePaid = Object.values(classes).includes('paid');
    if (canBePaid && (amount === undefined || reference === undefined)) {
      throw new Error(
        `${name}.answer needs amount and operator_reference, because a code means paid`,
      );
    }
  }
  const { callback, status } = settings;
  if (callback === undefined) return;
  if (status === undefined) throw new Error('callback needs status: a callback is not believed');
  if ((callback.handle === undefined) === (callback.reference === undefined)) {
    throw new Error('callback needs either handle or reference');
  }
}
