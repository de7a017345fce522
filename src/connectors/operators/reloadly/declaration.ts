import type { Declaration } from '../../operator.ts';

export const RELOADLY: Declaration = {
  title: 'Reloadly Airtime',
  source:
    'Reloadly/reloadly-api-documentation (OpenAPI): auth, topups, operators, transactions; Reloadly/reloadly-sdk-java',
  proofOfNonExecution: [
    'not one byte of the instruction was written, or there was no token to send it with',
    'HTTP 4xx with Reloadly’s own body and an errorCode by which it refuses a request before any attempt, in the answer to the instruction',
    'HTTP 503 with OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE, in such an answer',
    'status REFUNDED',
    'status FAILED, 30 minutes after it was first seen',
    'an errorCode by which the network refused the recipient, or CUSTOM_IDENTIFIER_ALREADY_USED, and 30 minutes later still no transaction',
    'no transaction with our customIdentifier, when the request can no longer be in transit',
  ],
  notProof: [
    'CUSTOM_IDENTIFIER_ALREADY_USED by itself: there was an earlier request, quite possibly ours',
    'our customIdentifier: two requests at once under one are both executed',
    'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT, PROVIDER_INTERNAL_ERROR and other errors after an attempt',
    'an error body without an errorCode: it is the framework’s, not Reloadly’s',
    'several transactions with our customIdentifier: people look at it',
    'a time-out, a cut connection, a redirect, HTML, an empty body, any other HTTP 5xx',
  ],
  toTry: [
    'the same customIdentifier twice, and two at once: the second must be CUSTOM_IDENTIFIER_ALREADY_USED',
    'the report for a customIdentifier that was refused, and for one whose answer was cut off: after how long it has the transaction',
    'a top-up to a number of another network: the errorCode',
    'a webhook whose URL answers HTTP 500, and one that is sent late: whether it is repeated, and whether its timestamp is that of the repetition',
    'the operator ids of /operators/countries/KE',
  ],
  witnesses: ['the samples of the documents, field by field; its packages on npm have no airtime'],
  callerKey: 'refuses_reuse',
  result: 'answer_or_callback',
  statusBy: 'our_reference',
  callbackTrust: 'signed',
  movements:
    'not pulled: the time zone of its report is not established, so that a payment could count for the wrong day; use the export of its dashboard',
};
