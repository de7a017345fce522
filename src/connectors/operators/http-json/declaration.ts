import type { Declaration } from '../../operator.ts';

export const HTTP_JSON: Declaration = {
  title: 'The operator protocol of this service',
  source: 'docs/reference/operator-protocol.md',
  proofOfNonExecution: [
    'not one byte of the request was written: no connection, or no free one in time',
    '`declined` under HTTP 200, 400, 401, 403, 404 or 422, about this reference',
    '`unavailable` under HTTP 200, 429 or 503, about this reference, in the answer to the instruction',
    '`not_found` in the answer to a status query, once the acceptance window is over',
  ],
  notProof: [
    'a time-out, a cut connection, any HTTP status without a valid answer',
    '`unavailable` in the answer to a status query',
    '`conflict`: the operator has an instruction with this reference',
  ],
  toTry: [
    'one payment for each row of the table “Outcomes” in docs/reference/operator-protocol.md',
    'a status query immediately after an instruction that was cut off: acceptance_window_ms must be longer than the time until it is known',
  ],
  witnesses: [
    'nothing that is not ours: the protocol, the simulated operators and the connector are',
  ],
  callerKey: 'answers_again',
  result: 'answer_or_callback',
  statusBy: 'our_reference',
  callbackTrust: 'signed',
  movements: 'not pulled: the operator sends its statement as a file',
};
