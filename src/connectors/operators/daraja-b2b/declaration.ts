import type { Declaration } from '../../operator.ts';

export const DARAJA_B2B: Declaration = {
  title: 'Safaricom Daraja, B2B: BusinessPayBill and BusinessBuyGoods',
  source:
    'developer.safaricom.co.ke: Authorization, Business Pay Bill, Business Buy Goods, Transaction Status, Account Balance',
  proofOfNonExecution: [
    'not one byte of the instruction was written, or there was no token to send it with',
    'HTTP 400 to 499 with the gateway’s own JSON body (`errorCode`, `fault.detail.errorcode`), in the answer to the instruction',
    'HTTP 500 with 500.003.02 (spike arrest) or 500.003.03 (quota) in such a body: the gateway refused before anybody processed it',
    'HTTP 200 with a ResponseCode other than 0, in the answer to the instruction',
    'TransactionStatus Cancelled, Declined, Expired or Failed, in the answer to a status query that names our ConversationID',
    'TransactionStatus Rejected in such an answer, after a Result with a definite decline for the same ConversationID',
    'the same after a Result with ResultCode 1, our float is too low: the payment is sent again when there is float',
  ],
  notProof: [
    'a time-out, a cut connection, HTML, an empty body, any other HTTP 5xx',
    'the queue time-out callback',
    'a Result that no status query confirmed: callbacks are not signed',
    'ResultCode 15 (duplicate), 17, 26, 1000000xx',
    'any ResultCode of a status query itself, and a status query without an answer',
  ],
  toTry: [
    'payments faster than the quota until 500.003.02 or 500.003.03 comes: none of the refused ones may be in the portal’s statement, because they are sent again',
    'a status query by each of the two ids of an instruction, before its Result: both are asked for until one of them is answered',
    'a status query about an id that never existed: silence, code 25 and a state all mean that nothing is known',
    'two instructions with one AccountReference and one amount within a minute: if the second is refused as a duplicate, a customer cannot pay the same bill twice',
    'an instruction whose ResultURL answers HTTP 500: whether the Result is sent again. Without it, each lost callback costs a status query',
    'an instruction above the limit of the short code: its code should be 3 or 4',
    'a payment to a till with `identifier_type` 4, which the page names, and 2, which some clients send: the accepted one, and whether the merchant’s confirmation has our AccountReference',
    'the balance: the name of the account that pays must be the setting float_account',
  ],
  witnesses: [
    'the samples of the documents, field by field: requests, answers, Results and status answers',
    'the requests of `mpesa-node` 0.1.3 from npm, to our emulator and beside those of the connector',
  ],
  callerKey: 'none',
  result: 'callback',
  statusBy: 'operator_handle',
  callbackTrust: 'secret_url_confirmed_by_query',
  movements:
    'not pulled: its pull lists customers’ payments to us, not ours; use the statement of the organisation portal',
};
