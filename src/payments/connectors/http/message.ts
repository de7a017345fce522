import type { Ending } from '../../../platform/outbound/exchange.ts';
import { readJson } from '../values.ts';
import { compileExpression, compileTemplate } from './expression.ts';
import type { RequestSettings } from './settings.ts';

/** A request as it is sent. */
export interface FilledRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export type RequestTemplate = (input: object) => Promise<FilledRequest>;

/** Throws: `Error` with the place in the configuration. */
export function compileRequest(where: string, settings: RequestSettings): RequestTemplate {
  const { method = 'POST', json, form, xml } = settings;
  if ([json, form, xml].filter((one) => one !== undefined).length > 1) {
    throw new Error(`${where} has more than one body`);
  }
  const path = compileTemplate(`${where}.path`, settings.path);
  const fillBody = compileBody(where, settings);
  return async (input) => ({
    method,
    path: await path.render(input, encodeURIComponent),
    ...(method === 'GET' ? { body: null, headers: {} } : await fillBody(input)),
  });
}

type Body = Pick<FilledRequest, 'body' | 'headers'>;

function compileBody(
  where: string,
  { json, form, xml }: Pick<RequestSettings, 'json' | 'form' | 'xml'>,
): (input: object) => Promise<Body> {
  if (xml !== undefined) {
    const template = compileTemplate(`${where}.xml`, xml);
    return async (input) => body('application/xml', await template.render(input, escapeXml));
  }
  const text = json ?? form;
  if (text === undefined) return async () => ({ body: null, headers: {} });
  const expression = compileExpression(`${where}.${json === undefined ? 'form' : 'json'}`, text);
  return async (input) => {
    const content = await expression.evaluate(input);
    if (typeof content !== 'object' || content === null) {
      throw new Error(`${where}: the body is not an object`);
    }
    if (json !== undefined) return body('application/json', JSON.stringify(content));
    const fields = Object.entries(content).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return body('application/x-www-form-urlencoded', new URLSearchParams(fields).toString());
  };
}

function body(type: string, text: string): Body {
  return { body: text, headers: { 'content-type': type } };
}

const XML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => XML[character] ?? '');
}

/** The answer, if it came under one of these HTTP statuses and is an object. */
export function readAnswer(ending: Ending, httpStatus: readonly number[] = [200]): object | string {
  if (ending.kind !== 'answer') return ending.reason;
  const content = httpStatus.includes(ending.httpStatus) ? readJson(ending.body) : undefined;
  return typeof content === 'object' && content !== null
    ? content
    : `HTTP ${ending.httpStatus} without an answer of the protocol`;
}
