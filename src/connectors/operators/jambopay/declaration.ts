import type { Declaration } from '../../operator.ts';

export const JAMBOPAY: Declaration = {
  title: 'JamboPay biller API',
  source:
    'apidocs.jambopay.co.ke/biller-api: security, kplcBillPresentment, kplcTransactionCommit, nwBillPresentment, nwTransactionCommit, airtimeBillPresentment, airtimeTransactionCommit',
  proofOfNonExecution: [
    'the commit was never sent: preparing failed, whatever the reason',
    'not one byte of the commit was written, or there was no token to send it with',
    'HTTP 401 or 429 with JamboPay’s own JSON body, in the answer to the commit',
    'code 1010 or 1011 in the answer to the commit, if `code_field` is set',
    'on airtime also 1012, 1050, 1051, 1060; on water also 1040, 1120, 2020',
    'a callback “cancelled” with “Agent Refunded” that fits the payment in every field',
  ],
  notProof: [
    'a time-out, a cut connection, HTML, an empty body, any HTTP 5xx',
    'code 1053: already completed, quite possibly by our own commit',
    'codes 4440, 1052, 1054; on water also 1050, 1051; on kplc every code but 1010 and 1011',
    'a callback “cancelled” without “Agent Refunded”',
  ],
  toTry: [
    'the HTTP status and the envelope of a refusal: code_field is right only if codes come in that field',
    'the second commit of one prepared transaction, for each stream: its code must be 1053, and the account must be charged once',
    'two commits of one prepared transaction at once',
    'a commit an hour after preparing: how long a prepared transaction can be used',
    'an airtime commit for a number of another network, and a water commit for an unknown account: the codes',
    'a callback whose URL answers HTTP 500: without it, a lost answer of a bill ends as a case',
  ],
  witnesses: [
    'the samples of the documents, field by field; no public client is known that is free of other people’s credentials',
  ],
  callerKey: 'none',
  result: 'answer_or_callback',
  statusBy: 'operator_handle',
  callbackTrust: 'secret_url',
  movements: 'not pulled: its API lists no payments',
};
