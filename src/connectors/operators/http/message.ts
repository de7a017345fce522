import { randomUUID } from 'node:crypto';
import { escapeMarkup } from '../../../platform/base/markup.ts';
import type { Encryption } from './encryption.ts';
import { compileExpression, compileTemplate, textOf } from './expression.ts';
import type { FilledRequest } from './filled-request.ts';
import { compileHeaders } from './headers.ts';
import type { HeaderTemplate } from './headers.ts';
import type { RequestSettings } from './settings.ts';
import type { RequestSigning } from './signing.ts';

/** Rejects with an `Error` naming the setting that does not fit the input. */
export type RequestTemplate = (input: object) => Promise<FilledRequest>;

/** Settings that all requests to an operator share. */
export interface RequestParts {
  /** The path of the base URL, without a slash at the end. */
  readonly prefix: string;
  readonly headers: HeaderTemplate;
  readonly signing: RequestSigning | null;
  /** Absent: nothing is encrypted. */
  readonly encryption?: Encryption;
}

/** Throws: `Error` naming the setting. */
export function compileRequest(
  where: string,
  settings: RequestSettings,
  { prefix, headers: commonHeaders, signing, encryption }: RequestParts,
): RequestTemplate {
  const { method = 'POST', json, form, xml } = settings;
  if ([json, form, xml].filter((one) => one !== undefined).length > 1) {
    throw new Error(`${where} has more than one body`);
  }
  const path = compileTemplate(`${where}.path`, settings.path);
  const fillBody = compileBody(where, settings);
  const ownHeaders = compileHeaders(`${where}.headers`, settings.headers);
  return async (given) => {
    const timed = { ...given, now_ms: Date.now(), nonce: randomUUID() };
    const unsigned = { ...timed, encrypted: await encryption?.(timed) };
    const input = signing === null ? unsigned : await signing.before(unsigned);
    const content = method === 'GET' ? NO_BODY : await fillBody(input);
    const filled = await path.render(input, encodeURIComponent);
    requireNoDotSegment(`${where}.path`, filled);
    const request = {
      method,
      path: prefix + filled,
      body: content.body,
      headers: {
        ...content.headers,
        ...(await commonHeaders(input)),
        ...(await ownHeaders(input)),
      },
    };
    return signing === null ? request : await signing.after(request, unsigned);
  };
}

/** A value of dots alone, such as an account, would make it another path. Throws: `Error` naming the setting. */
function requireNoDotSegment(where: string, path: string): void {
  const [segments = ''] = path.split('?');
  if (!segments.split('/').some((segment) => segment === '.' || segment === '..')) return;
  throw new Error(`${where}: a part of it is “.” or “..”`);
}

type Body = Pick<FilledRequest, 'body' | 'headers'>;
const NO_BODY: Body = { body: null, headers: {} };

function compileBody(
  where: string,
  { json, form, xml }: Pick<RequestSettings, 'json' | 'form' | 'xml'>,
): (input: object) => Promise<Body> {
  if (xml !== undefined) {
    const template = compileTemplate(`${where}.xml`, xml);
    return async (input) => body('application/xml', await template.render(input, escapeMarkup));
  }
  const text = json ?? form;
  if (text === undefined) return async () => NO_BODY;
  const place = `${where}.${json === undefined ? 'form' : 'json'}`;
  const expression = compileExpression(place, text);
  return async (input) => {
    const content = await expression.evaluate(input);
    if (typeof content !== 'object' || content === null) {
      throw new Error(`${place} yields no object`);
    }
    if (json !== undefined) return body('application/json', JSON.stringify(content));
    return body('application/x-www-form-urlencoded', formText(place, content));
  };
}

function formText(place: string, content: object): string {
  const fields = Object.entries(content).map(([name, value]): [string, string] => {
    // Empty text is allowed; an object would be sent as “[object Object]”.
    const text = value === '' ? '' : textOf(value);
    if (text === undefined) throw new Error(`${place}: the field ${name} is not a string`);
    return [name, text];
  });
  return new URLSearchParams(fields).toString();
}

function body(type: string, text: string): Body {
  return { body: text, headers: { 'content-type': type } };
}
