import { compileExpression } from './expression.ts';
import type { Expression } from './expression.ts';
import { compileHeaders } from './headers.ts';
import type { FilledRequest } from './filled-request.ts';
import type { HttpSettings } from './settings.ts';
import { createSigner } from './signature.ts';
import type { Scheme } from './signature.ts';

/** A part of the operator's secret. Undefined while the operator has none. Throws: no such part. */
export type SecretPart = (name: string) => string | undefined;

/** Signs requests, in two steps around filling them in. */
export interface RequestSigning {
  /** The input of path, headers and body; it includes `signature` if one of them contains it. */
  before(input: object): Promise<object>;
  /** The request with the headers of the signature, where it is in headers. */
  after(request: FilledRequest, input: object): Promise<FilledRequest>;
}

/** Throws: `Error` naming the setting. */
export function compileSigning(
  settings: NonNullable<HttpSettings['signing']>,
  partOf: SecretPart,
): RequestSigning {
  const signText = at('signing.key', () => {
    const key = partOf(settings.key ?? '');
    return key === undefined ? () => '' : createSigner(schemeOf(settings), key);
  });
  const text = compileExpression('signing.text', settings.text);
  const sign = async (input: object): Promise<string> =>
    signText(await signedText('signing.text', text, input));
  if (settings.headers === undefined) {
    return {
      before: async (input) => ({ ...input, signature: await sign(input) }),
      after: async (request) => request,
    };
  }
  const headers = compileHeaders('signing.headers', settings.headers);
  return {
    before: async (input) => input,
    after: async (request, input) => {
      const { method, path, body } = request;
      const whole = { ...input, method, path, body_text: body ?? '' };
      const added = await headers({ ...whole, signature: await sign(whole) });
      return { ...request, headers: { ...request.headers, ...added } };
    },
  };
}

export function schemeOf(settings: {
  readonly algorithm: Scheme['algorithm'];
  readonly encoding: Scheme['encoding'];
  readonly key_encoding?: Scheme['keyEncoding'];
}): Scheme {
  const { algorithm, encoding, key_encoding: keyEncoding = 'text' } = settings;
  return { algorithm, encoding, keyEncoding };
}

/** Rejects with an `Error` that names the setting. */
export async function signedText(
  where: string,
  expression: Expression,
  input: object,
): Promise<string> {
  const text = await expression.evaluate(input);
  if (typeof text !== 'string' || text === '') throw new Error(`${where} yields no text`);
  return text;
}

/** Adds the setting to the message of what is thrown. */
export function at<Made>(where: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new Error(`${where} ${(error as Error).message}`, { cause: error });
  }
}
