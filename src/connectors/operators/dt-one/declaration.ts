import type { Declaration } from '../../operator.ts';

export const DT_ONE: Declaration = {
  title: 'DT One DVS, version 1',
  source:
    'dvs-api-doc.dtone.com; OpenAPI 1.23 as mirrored in voxgig-sdk/dtone-sdk: .sdk/def/dtone-dvs-openapi.json; developers.dtone.com/docs',
  proofOfNonExecution: [
    'in two steps: the transaction was never confirmed, or is CANCELLED',
    'not one byte of the instruction was written',
    'HTTP 400 to 499 with DT One’s own `errors`, other than 1007001, 1007002, 1007004 and 1007007',
    'class 3 (REJECTED), 4 (CANCELLED) or 9 (DECLINED) about our external_id',
    'an empty list for our external_id: in two steps always, at once only after `acceptance_window_ms`, if that is set',
  ],
  notProof: [
    'a time-out, a cut connection, HTML, an empty body, any HTTP 5xx',
    '1007001: a transaction with this external_id exists',
    '1007002, 1007004, 1007007: the transaction went on',
    'DECLINED-DUPLICATED-TRANSACTION about a second attempt',
    'a callback: it is not signed',
  ],
  toTry: [
    'one transaction for each published suffix of the sandbox: the class and its delay',
    'a query by an external_id that was never sent, and by one that was refused: both must be an empty list, and the refused one must stay usable if acceptance_window_ms is set',
    'a query immediately after an instruction whose answer was cut off: how long until the list has it',
    'whether the product list has the bills that are wanted: utilities in Kenya depend on the contract',
  ],
  witnesses: [
    'DT One’s own client, `@dtone/dvs` 1.3.0 from npm, which uses our emulator in `npm test`',
    'the samples of the documents, field by field',
  ],
  callerKey: 'refuses_reuse',
  result: 'answer_or_callback',
  statusBy: 'our_reference',
  callbackTrust: 'secret_url_confirmed_by_query',
  movements: 'pulled',
};
