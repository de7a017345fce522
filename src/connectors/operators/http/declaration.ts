import type { Declaration } from '../../operator.ts';
import { SHARED_SECRET } from './settings.ts';
import type { HttpSettings } from './settings.ts';

/** One declaration for every configuration of this connector. */
export const HTTP: Declaration = {
  title: 'Any HTTP API, by configuration (here: without a status query and callbacks)',
  source: 'docs/guide/write-a-connector.md',
  proofOfNonExecution: [
    'not one byte of the request was written',
    'what the operator’s configuration says (settings: declaration.proof_of_non_execution)',
  ],
  notProof: [
    'a time-out, a cut connection, an answer in another format, or under another HTTP status',
    'a code that the configuration does not list',
    'a callback that is not signed: it only makes the service query the status',
  ],
  toTry: ['what the operator’s configuration says (settings: declaration.to_try)'],
  witnesses: ['what the operator’s configuration says (settings: declaration.witnesses)'],
  callerKey: 'none',
  result: 'answer',
  statusBy: 'cannot_be_asked',
  callbackTrust: 'no_callbacks',
  movements: 'not pulled: its settings have no statement',
};

/** Specific to this configuration. */
export function declarationOf(settings: HttpSettings): Declaration {
  const { declaration, callback, status, statement } = settings;
  return {
    title: declaration.title,
    source: declaration.source,
    proofOfNonExecution: [
      'not one byte of the request was written',
      ...declaration.proof_of_non_execution,
    ],
    notProof: [...HTTP.notProof, ...declaration.not_proof],
    toTry: declaration.to_try ?? [],
    witnesses: declaration.witnesses ?? [],
    callerKey: declaration.caller_key,
    result: callback === undefined ? 'answer' : 'answer_or_callback',
    statusBy: statusByOf(settings, status !== undefined),
    callbackTrust: callbackTrustOf(settings),
    movements: statement === undefined ? HTTP.movements : 'pulled',
  };
}

function statusByOf(settings: HttpSettings, canBeAsked: boolean): Declaration['statusBy'] {
  if (!canBeAsked) return 'cannot_be_asked';
  // We know a handle that we made ourselves, even if the answer is lost.
  return settings.handle !== undefined || settings.declaration.caller_key !== 'none'
    ? 'our_reference'
    : 'operator_handle';
}

function callbackTrustOf({ callback, status }: HttpSettings): Declaration['callbackTrust'] {
  if (callback === undefined) return 'no_callbacks';
  if (callback.signature === undefined) return 'confirmed_by_query';
  if (callback.signature.algorithm !== SHARED_SECRET) return 'signed';
  // The secret is in the request instead of its URL.
  return status === undefined ? 'secret_url' : 'secret_url_confirmed_by_query';
}
