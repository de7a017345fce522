import { expect } from 'vitest';
import { Compile } from 'typebox/schema';
import document from '../../openapi.json' with { type: 'json' };
import { headerOf, withHeader } from './header-signature.ts';
import type { Signing } from './header-signature.ts';
import { send } from './vendor-client.ts';
import type { Answer, WireRequest } from './vendor-client.ts';

/** One operation below `/v1`, as `openapi.json` describes it. */
export interface DescribedResource {
  readonly id: string;
  readonly method: string;
  /** With names in braces. */
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { readonly pattern?: string };
  }[];
  /** An example of the body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The fields that the body may have. */
  readonly fields: readonly string[];
}

interface Described {
  readonly operationId: string;
  readonly parameters: DescribedResource['parameters'];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: { readonly $ref: string };
          readonly example: Readonly<Record<string, unknown>>;
        }
      >
    >;
  };
}

/** Schemas of bodies. */
const bodies = document.components.schemas as unknown as Readonly<
  Record<string, { readonly properties: Readonly<Record<string, unknown>> }>
>;

const paths = document.paths as unknown as Readonly<
  Record<string, Readonly<Record<string, Described>>>
>;

/** Every operation of the self-service API. */
export const RESOURCES: readonly DescribedResource[] = Object.entries(paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, parameters, requestBody }]) => ({
      id,
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.example,
      fields: Object.keys(
        bodies[requestBody?.content['application/json']?.schema.$ref.split('/').at(-1) ?? '']
          ?.properties ?? {},
      ),
    })),
  );

export interface Asked {
  /** Names in the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The JSON body of an answer. */
export type Json = Readonly<Record<string, unknown>> & {
  readonly items: readonly Json[];
  readonly next_cursor: string | null;
  readonly error: {
    readonly code: string;
    readonly text: string;
    readonly field: string | null;
    readonly request_id: string;
  };
};

export function resourceOf(id: string): DescribedResource {
  const found = RESOURCES.find((resource) => resource.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

/** A request for an operation, without its signature. */
export function requestFor(id: string, vid: string, asked: Asked = {}): WireRequest {
  const { method, path } = resourceOf(id);
  const named = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(asked.path?.[name] ?? 'none'),
  );
  const query = new URLSearchParams({ vid, ...asked.query }).toString();
  return {
    method,
    path: `${named}?${query}`,
    ...(asked.body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked.body) }),
  };
}

/** A vendor’s program. */
export class SelfServiceClient {
  readonly vid: string;
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, { vid, key }: { readonly vid: string; readonly key: string }) {
    this.#origin = origin;
    this.vid = vid;
    this.#key = key;
  }

  async send(id: string, asked: Asked = {}, signing: Partial<Signing> = {}): Promise<Answer> {
    const request = requestFor(id, this.vid, asked);
    return await send(
      this.#origin,
      withHeader(request, headerOf(request, { key: this.#key, ...signing })),
    );
  }

  /** The answer, which must be a success that fits the published schema and has nothing else. */
  async ask(id: string, asked: Asked = {}): Promise<Json> {
    const answer = await this.send(id, asked);
    expect(answer.status, `${id}: ${answer.text}`).toBe(200);
    const body = answer.body as unknown as Json;
    expectFits(id, body);
    return body;
  }

  /** Every item of a list, page by page. */
  async all(id: string, query: Readonly<Record<string, string>> = {}): Promise<Json[]> {
    const items: Json[] = [];
    let cursor: string | null | undefined;
    do {
      const more: Readonly<Record<string, string>> =
        cursor === undefined || cursor === null ? {} : { cursor };
      const page = await this.ask(id, { query: { ...query, ...more } });
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return items;
  }

  /** The refusal, which must have the form of every error below `/v1`. */
  async refused(id: string, asked: Asked = {}, signing: Partial<Signing> = {}): Promise<Refused> {
    return refusalIn(await this.send(id, asked, signing));
  }
}

export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function refusalIn(answer: Answer): Refused {
  const body = answer.body as unknown as Json;
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  expect(Object.keys(body)).toEqual(['error']);
  const { code, field, text, request_id: id, ...others } = body.error;
  expect(
    Object.keys(others).filter((name) => !['signed_text', 'vid_known'].includes(name)),
  ).toEqual([]);
  expect(text).toMatch(/\S/);
  expect(id).toMatch(UUID);
  expect(answer.headers['x-request-id']).toBe(id);
  return { status: answer.status, code, field };
}

const schemas = document.components.schemas as unknown as Readonly<Record<string, object>>;

function expectFits(id: string, body: unknown): void {
  const schema = schemas[`${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`];
  if (schema === undefined) throw new Error(`${id} has no schema`);
  const compiled = Compile(schema);
  expect(compiled.Check(body), `${id}: ${JSON.stringify(compiled.Errors(body))}`).toBe(true);
}
