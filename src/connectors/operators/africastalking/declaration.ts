import type { Declaration } from '../../operator.ts';

export const AFRICASTALKING: Declaration = {
  title: 'Africa’s Talking Airtime',
  source:
    'docs.africastalking.com/airtime: sending, statuscallback; AfricasTalkingLtd/africastalking-node.js: lib/airtime.js; help.africastalking.com 6151516',
  proofOfNonExecution: [
    'not one byte of the instruction was written',
    'the whole request was refused: `numSent` 0, no `responses`, and an `errorMessage` that does not speak of a duplicate',
    'the one recipient was refused: status Failed, Rejected or another refusal, in the answer to the instruction',
    'HTTP 401 or 429 in the words of Africa’s Talking',
    'status Failed by query of its own requestId',
  ],
  notProof: [
    'HTTP 201 by itself: refusals come with it too',
    '“A duplicate request was received”: the earlier one was taken',
    'the Idempotency-Key: after five minutes the same request tops up again',
    'status InternalError or Incomplete, and every status that is not listed',
    'a status callback: it is not signed, so it only makes the service query the status',
    'a time-out, a cut connection, HTML, an empty body, any HTTP 5xx',
  ],
  toTry: [
    'an airtime of 1 shilling to a number of another network: the status and errorMessage of a refused recipient',
    'the same request twice within five minutes: the text of the refusal must speak of a duplicate',
    'findTransaction with the requestId of each: which fields the answer has, and how long after the instruction it knows it',
    'a status callback whose URL answers HTTP 500: whether it is sent again',
  ],
  witnesses: [
    'Africa’s Talking’s own client, `africastalking` 0.8.3 from npm, which uses our emulator in `npm test`',
    'the samples of the documents, field by field',
  ],
  callerKey: 'none',
  result: 'answer_or_callback',
  statusBy: 'operator_handle',
  callbackTrust: 'confirmed_by_query',
  movements: 'not pulled: its API has no list of what was sent; use the statement of its dashboard',
};
