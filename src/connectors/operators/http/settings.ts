import { Type } from 'typebox';
import type { Static } from 'typebox';
import { codeField, orNull, strict } from '../../../platform/base/json-fields.ts';
import { MONEY_PATTERN } from '../../../platform/base/money.ts';
import { acceptanceWindowMs, caseAfterMs, CONNECTION_SETTINGS } from '../../connection.ts';
import { createSettingsReader } from '../../settings.ts';
import { ALGORITHMS, PADDINGS } from './signature.ts';
import type { Algorithm, Padding } from './signature.ts';

const closed = { additionalProperties: false } as const;
const oneOf = <Name extends string>(names: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Union(names.map((name) => Type.Literal(name))));

const expression = Type.String({ minLength: 1, maxLength: 4_000 });
const text = Type.String({ minLength: 1, maxLength: 500 });
const expressions = Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$' }), expression, {
  maxProperties: 16,
  ...closed,
});
const optional = Type.Optional(expression);
const format = oneOf(['json', 'form', 'xml']);

/** Meanings that the operator's answer may have. */
export const CLASSES = [
  'paid',
  /** Paid, and details such as a token come later. */
  'paid:details_follow',
  'declined',
  'declined:invalid_account',
  'declined:amount_not_allowed',
  'declined:operator_refused',
  'not_sent',
  'not_sent:operator_paused',
  'not_found',
  'reversed',
  'prepared',
  'unknown',
] as const;
export type AnswerClass = (typeof CLASSES)[number];

const request = {
  method: Type.Optional(oneOf(['POST', 'PUT', 'GET'])),
  /** A template, values percent-encoded. */
  path: Type.String({ pattern: '^/[ -~]{0,500}$' }),
  /** In addition to those of all requests. */
  headers: Type.Optional(expressions),
  /** Expressions that yield an object; or an XML template. At most one. */
  json: optional,
  form: optional,
  xml: Type.Optional(Type.String({ minLength: 1, maxLength: 8_000 })),
};
/** The HTTP statuses under which an answer is believed. Default: 200. */
const httpStatus = Type.Optional(
  Type.Array(Type.Integer({ minimum: 200, maximum: 599 }), { maxItems: 20 }),
);
const outcome = {
  code: expression,
  classes: Type.Record(text, oneOf(CLASSES), closed),
  /** True if the answer is about this request. */
  about: optional,
  message: optional,
  operator_reference: optional,
  amount: optional,
  details: Type.Optional(expressions),
  handle: optional,
};
/** True: an answer without a body is one, too; then `body` is empty. */
const mayBeEmpty = Type.Optional(Type.Boolean());
const operation = strict({
  ...request,
  answer: strict({ http_status: httpStatus, may_be_empty: mayBeEmpty, ...outcome }),
});

const scheme = {
  algorithm: Type.Unsafe<Algorithm>(oneOf(ALGORITHMS)),
  /** The part of the secret that holds the key: of an HMAC, or a private key in PEM. */
  key: Type.Optional(codeField),
  /** Encoding of an HMAC's key. Default: text. */
  key_encoding: Type.Optional(oneOf(['text', 'hex', 'base64'])),
  /** Encoding of the signature. */
  encoding: oneOf(['hex', 'base64']),
  /** The text that is signed. */
  text: expression,
};

/** A value that is encrypted for the operator with RSA, anew for each request. */
const encrypted = strict({
  /** The value before it is encrypted, such as `secret.pin`. */
  text: expression,
  /** The operator’s key or certificate; PEM. */
  public_key: Type.String({ minLength: 1, maxLength: 8_000 }),
  padding: Type.Unsafe<Padding>(oneOf(PADDINGS)),
  /** Encoding of what is sent. */
  encoding: oneOf(['hex', 'base64']),
});

const declaration = strict({
  title: text,
  source: text,
  /** The operator's answers that prove that nothing was executed. */
  proof_of_non_execution: Type.Array(text, { minItems: 1, maxItems: 20 }),
  not_proof: Type.Array(text, { maxItems: 20 }),
  /** Questions that the operator’s documents leave open, to be tried in its sandbox. */
  to_try: Type.Optional(Type.Array(text, { maxItems: 20 })),
  /** Programs and documents of others that the configuration was checked against. */
  witnesses: Type.Optional(Type.Array(text, { maxItems: 20 })),
  caller_key: oneOf(['answers_again', 'refuses_reuse', 'none']),
});

const auth = Type.Union([
  strict({ kind: Type.Literal('none') }),
  strict({ kind: Type.Literal('basic'), user: expression, password: expression }),
  strict({
    kind: Type.Literal('oauth'),
    /** Default: the operator's base URL. */
    base_url: Type.Optional(Type.String({ maxLength: 300 })),
    ...request,
    /** The token, and for how many seconds it lives, from `body`; JSON. */
    token: expression,
    life_seconds: expression,
    /**
     * True if an answer refuses the token, and proves that the request went no further: then it is
     * sent again with a new one.
     */
    refused: optional,
  }),
]);

const validate = strict({
  ...request,
  answer: strict({
    http_status: httpStatus,
    /** A boolean; anything else counts as no answer. */
    valid: expression,
    message: optional,
    name: optional,
    amount_due: optional,
    due_date: optional,
  }),
});

const products = strict({
  ...request,
  answer: strict({
    http_status: httpStatus,
    /** The list of products. The other expressions get each one as `product`. */
    list: expression,
    code: expression,
    name: optional,
    /** Payable amounts: a fixed one, or a range. */
    amount: optional,
    minimum: optional,
    maximum: optional,
    /** Default: KES. */
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    validity: optional,
  }),
});

/** Kinds of movements of our float; `ignored`: the float does not change. */
export const MOVEMENTS = ['payment', 'reversal', 'top_up', 'charge', 'ignored'] as const;
export type MovementClass = (typeof MOVEMENTS)[number];

const statement = strict({
  ...request,
  /** The longest period that one request may ask for. Default: any. */
  window_ms: Type.Optional(Type.Integer({ minimum: 60_000, maximum: 2_678_400_000 })),
  answer: strict({
    http_status: httpStatus,
    /** The list of movements. The expressions about one get it as `movement`. */
    list: expression,
    /** True, or the cursor of the next page; anything else: this was the last. */
    next: optional,
    kind: expression,
    kinds: Type.Record(text, oneOf(MOVEMENTS), closed),
    /** Milliseconds since 1970. */
    at: expression,
    operator_reference: expression,
    /** Ours. */
    reference: optional,
    biller: optional,
    account: optional,
    amount: expression,
  }),
});

/** Not a signature, but a text that each callback repeats: the part `key` of the secret. */
export const SHARED_SECRET = 'shared-secret';
export type SharedSecret = typeof SHARED_SECRET;

const callback = strict({
  /** Default: `answer_format`. */
  format: Type.Optional(format),
  /** The name of the payment. Set one of the two. */
  handle: optional,
  reference: optional,
  /** The part of `body` that is read like the answer to a status query. Only with `signature`. */
  answer: optional,
  /** Rules for reading `answer`. Default: those of `status.answer`. */
  outcome: Type.Optional(strict(outcome)),
  /** Without it, anybody can send a callback: it only causes a status query. */
  signature: Type.Optional(
    strict({
      ...scheme,
      algorithm: Type.Unsafe<Algorithm | SharedSecret>(oneOf([...ALGORITHMS, SHARED_SECRET])),
      encoding: Type.Optional(scheme.encoding),
      text: optional,
      /** Verifies an RSA signature; PEM. */
      public_key: Type.Optional(Type.String({ maxLength: 8_000 })),
      /** The signature, or the shared secret. */
      value: expression,
      /** When it was signed, in milliseconds since 1970; null: the operator does not say. */
      time: Type.Union([expression, Type.Null()]),
      /** Tolerated difference between that time and our clock. Default: five minutes. */
      tolerance_ms: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 86_400_000 })),
    }),
  ),
  /** Our answer to the callback: JSON, or a text. */
  accepted_body: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String({ maxLength: 2_000 })]),
  ),
});

export const SETTINGS = strict({
  ...CONNECTION_SETTINGS,
  declaration,
  /** null: "not found" is never proof. */
  acceptance_window_ms: acceptanceWindowMs,
  case_after_ms: orNull(caseAfterMs),
  /** Our code of each biller → what expressions see of it as `service`. */
  billers: Type.Record(codeField, Type.Record(Type.String(), Type.Unknown()), {
    minProperties: 1,
    ...closed,
  }),
  constants: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  amounts: Type.Optional(
    strict({
      /** Other amounts than multiples of this are declined and never sent. Default: 0.01. */
      step: Type.Optional(Type.String({ pattern: MONEY_PATTERN.source })),
      /** Format of amounts in answers. Default: decimal. */
      answers: Type.Optional(oneOf(['decimal', 'cents'])),
    }),
  ),
  /** Our id for one attempt; stored before it is sent. */
  handle: optional,
  /** A first step, which moves no money and whose handle is stored before `pay` is sent. */
  prepare: Type.Optional(operation),
  /** By name; requests see them as `encrypted`. */
  encrypted: Type.Optional(
    Type.Record(codeField, encrypted, {
      maxProperties: 8,
      ...closed,
    }),
  ),
  /** Headers of every request, such as an API key. */
  headers: Type.Optional(expressions),
  auth: Type.Optional(auth),
  signing: Type.Optional(
    strict({
      ...scheme,
      /** Headers, added when the body is made. Without them, path and body see `signature`. */
      headers: Type.Optional(expressions),
    }),
  ),
  /** Default: json. */
  answer_format: Type.Optional(oneOf(['json', 'xml'])),
  pay: operation,
  status: Type.Optional(operation),
  validate: Type.Optional(validate),
  balance: Type.Optional(
    strict({
      ...request,
      answer: strict({ http_status: httpStatus, balance: expression }),
    }),
  ),
  products: Type.Optional(products),
  /** Movements of our float. */
  statement: Type.Optional(statement),
  callback: Type.Optional(callback),
});

export type HttpSettings = Static<typeof SETTINGS>;
export type RequestSettings = Pick<
  HttpSettings['pay'],
  'method' | 'path' | 'headers' | 'json' | 'form' | 'xml'
>;
export type OperationSettings = HttpSettings['pay'];
export type OutcomeSettings = Omit<OperationSettings['answer'], 'http_status' | 'may_be_empty'>;
export type EncryptedSettings = NonNullable<HttpSettings['encrypted']>;
export type CallbackSettings = NonNullable<HttpSettings['callback']>;
export type SignatureSettings = NonNullable<CallbackSettings['signature']>;
export type AmountFormat = NonNullable<NonNullable<HttpSettings['amounts']>['answers']>;

export const readHttpSettings = createSettingsReader(SETTINGS);
