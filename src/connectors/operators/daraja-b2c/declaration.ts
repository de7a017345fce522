import type { Declaration } from '../../operator.ts';

/** Safaricom's limits for one payment. */
export const AMOUNTS = { minimumCents: 1_000, maximumCents: 25_000_000, stepCents: 100 };

export const DARAJA_B2C: Declaration = {
  title: 'Safaricom Daraja, B2C v3',
  source:
    'developer.safaricom.co.ke: Authorization, Business To Customer, Transaction Status, Account Balance',
  proofOfNonExecution: [
    'not one byte of the instruction was written, or there was no token to send it with',
    'HTTP 400 to 499 with the gateway’s own JSON body (`errorCode`, `fault.detail.errorcode`) that does not say “Duplicate”, in the answer to the instruction',
    'HTTP 500 with 500.003.02 (spike arrest) or 500.003.03 (quota) in such a body: the gateway refused before anybody processed it',
    'HTTP 200 with a ResponseCode other than 0 and no word of a duplicate, in the answer to the instruction',
    'TransactionStatus Cancelled, Declined, Expired or Failed, in the answer to a status query that names our OriginatorConversationID or the ConversationID that we got',
    'TransactionStatus Rejected in such an answer, after a Result with a definite decline',
    'the same after a Result with ResultCode 1, our float is too low: the payment is sent again, under a new id, when there is float',
  ],
  notProof: [
    'a time-out, a cut connection, HTML, an empty body, any other HTTP 5xx: “System internal error.” has the code of a duplicate',
    '“Duplicate OriginatorConversationID.”: the earlier request was taken',
    'the queue time-out callback',
    'a Result that no status query confirmed: callbacks are not signed',
    'ResultCode 15 (duplicate), 17, 26, 1000000xx',
    'any ResultCode of a status query itself, and a status query without an answer',
  ],
  toTry: [
    'an instruction whose answer is thrown away, then a status query by its OriginatorConversationID: it must name the payment, or a lost answer waits for the callback or for people',
    'the same OriginatorConversationID twice: the second must be refused as a duplicate, and the portal must list one payment',
    'an OriginatorConversationID of 36 characters: no document says how long it may be',
    'a status query about an id that never existed: silence, code 25 and a state all mean that nothing is known',
    'payments to a number without M-PESA, and above the balance that a customer may have: the codes should be 2040 or SFC_IC0003, and 8',
    'payments of 9 and of 250,001 shillings, and one that brings a customer above 500,000 a day: the codes should be 2, 3 and 4',
    'the balance: the name of the account that pays must be the setting float_account',
  ],
  amounts: AMOUNTS,
  witnesses: [
    'the samples of the documents for version 3, field by field: requests, answers and Results',
    'the requests of `mpesa-node` 0.1.3 and `mpesa-api` 3.0.2 from npm to our emulator; both speak version 1, which has no id of the caller’s',
    'the mock service of `global-121/121-platform` (commit 075ba48, run beside ours): it takes our version 3 request; its Result and its “not registered” (2001) name our own id and are understood as hints, its echo to the queue time-out URL proves nothing; it has no status query, so nothing was settled',
  ],
  callerKey: 'refuses_reuse',
  result: 'callback',
  statusBy: 'our_reference',
  callbackTrust: 'secret_url_confirmed_by_query',
  movements: 'not pulled: use the statement of the organisation portal',
};
