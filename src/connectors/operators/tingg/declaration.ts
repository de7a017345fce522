import type { Declaration } from '../../operator.ts';

export const TINGG: Declaration = {
  title: 'Tingg (Cellulant) Payouts, BEEP v1',
  source:
    'docs.tingg.africa/reference: postpayment, querypaymentstatus, querybill, validateaccount, queryfloatbalance, payment-ack-service; docs.tingg.africa/docs: payouts-faq, callback',
  proofOfNonExecution: [
    'not one byte of the instruction was written',
    'authStatusCode 132: our credentials were refused',
    'statusCode 167, 230, 231 or 232 of our packet, in the answer to BEEP.postPayment',
    'statusCode 180 (failed) or 216 (rejected by hand) by BEEP.queryPaymentStatus',
  ],
  notProof: [
    'HTTP 200 and authStatusCode 131: they say nothing about the payment',
    'statusCode 139, 148, 178, 219: pending',
    'statusCode 174 in the answer to BEEP.postPayment, and every code that is not listed',
    'statusCode 143 by query (not found), unless acceptance_window_ms is set: that it comes only for what was never received is not promised',
    'a callback: it is not signed, so it only makes the service query the status',
    'a time-out, a cut connection, HTML, an empty body',
  ],
  toTry: [
    'BEEP.queryPaymentStatus with payerTransactionID alone: if it is refused, a payment whose answer was lost ends as a case',
    'BEEP.postPayment with a payerTransactionID that was used: the code, and whether the account is charged again',
    'BEEP.queryPaymentStatus about an id that was never sent, immediately and after a minute: acceptance_window_ms is right only if 143 then never changes',
    'a callback that is answered without statusCode: it must come again after 30 seconds',
    'the text of a prepaid token: it is found after the word “token”',
  ],
  witnesses: ['the samples of the documents, field by field; no package for BEEP was found on npm'],
  callerKey: 'none',
  result: 'answer_or_callback',
  statusBy: 'our_reference',
  callbackTrust: 'secret_url_confirmed_by_query',
  movements: 'not pulled: its API lists no payments',
};
