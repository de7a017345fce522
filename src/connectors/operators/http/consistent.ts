import { parseMoney } from '../../../platform/base/money.ts';
import { membersRead, readsValue } from './expression.ts';
import { SHARED_SECRET } from './settings.ts';
import type {
  AnswerClass,
  CallbackSettings,
  HttpSettings,
  OperationSettings,
  OutcomeSettings,
} from './settings.ts';
import { isHmac } from './signature.ts';

const isPaid = (one: AnswerClass): boolean => one === 'paid' || one === 'paid:details_follow';

/** The classes that each operation may use. Only an instruction can be `not_sent`, for example. */
const FITTING: Readonly<
  Record<'prepare' | 'pay' | 'status' | 'callback', (one: AnswerClass) => boolean>
> = {
  prepare: (one) => !isPaid(one) && one !== 'not_found' && one !== 'reversed',
  pay: (one) => one !== 'not_found' && one !== 'reversed' && one !== 'prepared',
  status: (one) => !one.startsWith('not_sent') && one !== 'prepared',
  callback: (one) => one !== 'not_found' && !one.startsWith('not_sent') && one !== 'prepared',
};

/** Checks that the schema cannot express. Throws: `Error` naming the setting. */
export function requireConsistent(settings: HttpSettings): void {
  const { pay, status, callback, signing, amounts } = settings;
  requireFitting('pay', 'pay.answer', pay.answer);
  requireAbout('pay.answer', pay.answer);
  if (status !== undefined) {
    requireFitting('status', 'status.answer', status.answer);
    requireAbout('status.answer', status.answer);
  }
  requirePreparation(settings);
  requireHandles(settings);
  requireConstants(settings);
  if (parseMoney(amounts?.step ?? '0.01') === 0n) throw new Error('amounts.step must be above 0');
  if (signing !== undefined && signing.key === undefined) {
    throw new Error('signing needs key, the part of the secret that signs');
  }
  if (callback !== undefined) requireCallback(callback, status !== undefined);
}

/** Values that only an answer has. */
const ANSWERED = ['body', 'headers', 'http_status'];

/** The first of two steps yields the handle; a handle of our own would be another one for the same attempt. */
function requirePreparation({ prepare, handle }: HttpSettings): void {
  if (prepare === undefined) return;
  if (handle !== undefined)
    throw new Error('prepare and handle are both given: one of them names the attempt');
  requireFitting('prepare', 'prepare.answer', prepare.answer);
  requireAbout('prepare.answer', prepare.answer);
  const { classes, handle: yielded } = prepare.answer;
  if (!Object.values(classes).includes('prepared')) {
    throw new Error('prepare.answer.classes has no code that means prepared');
  }
  if (yielded === undefined || !ANSWERED.some((one) => readsValue(yielded, one))) {
    throw new Error(
      'prepare.answer.handle must read the answer: it names the attempt in pay and status',
    );
  }
}

/** A misspelled name would be empty in every request. */
function requireConstants(settings: HttpSettings): void {
  const known = Object.keys(settings.constants ?? {});
  for (const name of textsIn(settings).flatMap((text) => membersRead(text, 'constants'))) {
    if (!known.includes(name))
      throw new Error(`constants has no ${name}, which an expression reads`);
  }
}

/** A handle that is not kept would be empty in every query, so that no payment is ever queried. */
function requireHandles({ handle, prepare, pay, status, callback }: HttpSettings): void {
  const answered = pay.answer.handle;
  if (answered !== undefined && !ANSWERED.some((one) => readsValue(answered, one))) {
    throw new Error(
      'pay.answer.handle does not read the answer: give it as handle, which is kept before the request is sent',
    );
  }
  if (handle !== undefined || prepare !== undefined) return;
  if (usesHandle(pay)) throw new Error('pay uses handle: give handle, which is made before it');
  const isKept = (answered ?? callback?.outcome?.handle) !== undefined;
  if (!isKept && status !== undefined && usesHandle(status)) {
    throw new Error(
      'status uses handle, which nothing keeps: give handle or pay.answer.handle, or no payment is ever queried',
    );
  }
}

/** Looks for the handle in a request. The answer is left out: it may use the same name for something else. */
function usesHandle({ answer: _answer, ...request }: OperationSettings): boolean {
  return textsIn(request).some((text) => readsValue(text, 'handle'));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function requireFitting(
  operation: keyof typeof FITTING,
  where: string,
  { classes, amount, operator_reference: reference }: OutcomeSettings,
): void {
  for (const [code, one] of Object.entries(classes)) {
    if (!FITTING[operation](one)) {
      throw new Error(`${where}.classes: “${code}” cannot be ${one} there`);
    }
  }
  const canBePaid = Object.values(classes).some(isPaid);
  if (canBePaid && (amount === undefined || reference === undefined)) {
    throw new Error(`${where} needs amount and operator_reference, because a code means paid`);
  }
}

/** An operator may mix up answers: another payment's result must not count for this one. */
function requireAbout(where: string, { about }: OutcomeSettings): void {
  if (about !== undefined) return;
  throw new Error(
    `${where} needs about: whether the answer names this payment, or "true" if answers name none`,
  );
}

function requireCallback(callback: CallbackSettings, canBeAsked: boolean): void {
  const { signature, outcome } = callback;
  if ((callback.handle === undefined) === (callback.reference === undefined)) {
    throw new Error('callback needs either handle or reference');
  }
  if (outcome !== undefined) requireFitting('callback', 'callback.outcome', outcome);
  if (signature === undefined) {
    if (!canBeAsked) {
      throw new Error('callback needs status or signature: unsigned, it is not believed');
    }
    return;
  }
  if (outcome === undefined && !canBeAsked) {
    throw new Error('callback needs outcome, because there is no status.answer to read it by');
  }
  requireSignature(signature);
}

function requireSignature(signature: NonNullable<CallbackSettings['signature']>): void {
  const { algorithm, key, public_key: publicKey, text, encoding } = signature;
  if (algorithm === SHARED_SECRET) {
    if (key === undefined) throw new Error('callback.signature needs key, a part of the secret');
    return;
  }
  if (text === undefined || encoding === undefined) {
    throw new Error(`callback.signature needs text and encoding for ${algorithm}`);
  }
  if (isHmac(algorithm) ? key === undefined : publicKey === undefined) {
    throw new Error(
      `callback.signature needs ${isHmac(algorithm) ? 'key, a part of the secret,' : 'public_key'} for ${algorithm}`,
    );
  }
  if (key !== undefined && publicKey !== undefined) {
    throw new Error('callback.signature has both key and public_key');
  }
}
