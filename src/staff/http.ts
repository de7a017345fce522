import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Type } from 'typebox';
import type { TObject } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import { propertiesOf, routeOf } from './definition.ts';
import type { Definition } from './definition.ts';
import { fileOf, notedDownload } from './files.ts';
import { arrivedFile, FILE_FORMATS } from './forms.ts';
import type { ArrivedFile, FileAnswer, FileFormat, LiveAnswer, SentFile } from './forms.ts';
import { perform } from './perform.ts';
import type { By } from './perform.ts';
import { sealedCursors } from '../platform/http/sealed-cursors.ts';
import type { Asked } from '../platform/http/sealed-cursors.ts';

/** How definitions are reached over HTTP: the same in the console’s API and in the staff API. */

type Values = Readonly<Record<string, unknown>>;

export interface HttpRoute {
  readonly of: Definition;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Undefined: the answer is JSON. */
  readonly format: FileFormat | undefined;
}

/** Every route of these definitions; what is `onMachine` has none. The rows of a view are also files, at its path with their ending. */
export function httpRoutesOf(definitions: readonly Definition[]): HttpRoute[] {
  return definitions.flatMap((of) => {
    if (of.onMachine === true) return [];
    const { method, path: own } = routeOf(of);
    const json = { of, method, path: own, format: undefined };
    if (of.kind !== 'view' || of.rows === undefined) return [json];
    const files = FILE_FORMATS.map((format) => ({ of, method, path: `${own}.${format}`, format }));
    return [json, ...files];
  });
}

/** True: it leaves something in the audit log, so it counts in the limits of a person as a change does. */
export function countsAsChange({ of, format }: Pick<HttpRoute, 'of' | 'format'>): boolean {
  if (of.kind === 'view') return format !== undefined || of.isNoted === true;
  return of.kind !== 'stream';
}

/** The part of the input that is not in the path. A file takes the body, so the rest is in the query. */
export function partsOf(of: Definition): {
  readonly params: TObject;
  readonly query: TObject | undefined;
  readonly body: TObject | undefined;
} {
  const { method, names } = routeOf(of);
  const all = Object.entries(of.input.properties);
  const pick = (isInPath: boolean): TObject =>
    Type.Object(Object.fromEntries(all.filter(([name]) => names.includes(name) === isInPath)), {
      additionalProperties: false,
    });
  const inQuery = method === 'GET' || of.file !== undefined;
  return {
    params: pick(true),
    query: inQuery ? pick(false) : undefined,
    body: inQuery ? undefined : pick(false),
  };
}

/** A file, which is in the audit log already. */
export class NotedFile {
  readonly file: FileAnswer;
  constructor(file: FileAnswer) {
    this.file = file;
  }
}

/** A stream of events. */
export class Streamed {
  readonly live: LiveAnswer;
  constructor(live: LiveAnswer) {
    this.live = live;
  }
}

/** Performs what a request asks for. Throws what `perform` throws. */
export async function answerOf(
  http: HttpRoute,
  ...rest: [asked: Asked, by: By, cursors: Cursors]
): Promise<Values | NotedFile | Streamed> {
  try {
    return await answerTo(http, ...rest);
  } catch (error) {
    throw isNoAddress(http, error)
      ? new Refusal('not_found', { text: error.message, cause: error })
      : error;
  }
}

/** Nothing is at an address with a name that nothing can have. */
const isNoAddress = ({ of, method }: HttpRoute, error: unknown): error is Refusal =>
  method === 'GET' &&
  error instanceof Refusal &&
  error.code === 'invalid_field' &&
  routeOf(of).names.includes(error.field ?? '');

async function answerTo(
  { of, path: at, format }: HttpRoute,
  asked: Asked,
  by: By,
  cursors: Cursors,
): Promise<Values | NotedFile | Streamed> {
  const pages = sealedCursors({ path: at.replace(/\.\w+$/, ''), ...partsOf(of) }, cursors);
  const opened = pages?.open(asked, by.viewer) ?? asked;
  const seal = (answer: Values) => pages?.seal(answer, asked, by.viewer) ?? answer;
  if (of.file === undefined) return await performed({ of, format }, givenOf(of, opened), by, seal);
  const given = givenOf(of, { ...opened, body: {} });
  const { [of.file.name]: named = 'file', ...rest } = given;
  return await withSentFile(of.file, named, asked.body, async (file) => {
    const deps = { ...by.deps, file };
    return await performed({ of, format }, rest, { ...by, deps }, seal);
  });
}

async function performed(
  { of, format }: Pick<HttpRoute, 'of' | 'format'>,
  given: Values,
  by: By,
  seal: (answer: Values) => unknown,
): Promise<Values | NotedFile | Streamed> {
  switch (of.kind) {
    case 'stream':
      return new Streamed(await perform(of, given, by));
    case 'download':
      return new NotedFile(await notedDownload(of, given, by));
    case 'action':
      return await perform(of, given, by);
    case 'view': {
      if (format === undefined) return seal(await perform(of, given, by)) as Values;
      const { columns, ...asked } = given;
      const chosen = typeof columns === 'string' && columns !== '' ? { columns } : {};
      return new NotedFile(await fileOf(of, asked, by, { format, ...chosen }));
    }
  }
}

/** A value that is written as text. */
function readText(type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  return value;
}

/** The whole input. Values of a query string and a path are text. Throws: `ambiguous_request`. */
function givenOf(of: Definition, { params, query, body }: Asked): Values {
  // Without a prototype, which a field named `__proto__` would replace.
  const given = Object.create(null) as Record<string, unknown>;
  const types = new Map(propertiesOf(of.input));
  const read = (name: string, value: unknown): unknown => {
    const { type, items } = types.get(name) ?? {};
    if (type !== 'array') return readText(type, value);
    return [value].flat().map((item) => readText(items?.type, item));
  };
  const parts = [params, query, body].map((part) => Object.entries((part ?? {}) as Values));
  for (const [index, pairs] of parts.entries()) {
    for (const [name, value] of pairs) {
      if (Object.hasOwn(given, name)) {
        throw new Refusal('ambiguous_request', { field: name, text: `${name} was sent twice` });
      }
      given[name] = index < 2 ? read(name, value) : value;
    }
  }
  return given;
}

/** Keeps what was sent as a file while it is worked with. Its name is the query’s `file`. */
async function withSentFile<Result>(
  sent: SentFile,
  named: unknown,
  body: unknown,
  work: (file: ArrivedFile) => Promise<Result>,
): Promise<Result> {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new Refusal('missing_field', { field: sent.name, text: 'The body has no file' });
  }
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-sent-'));
  try {
    const at = path.join(folder, 'sent');
    const file = arrivedFile(sent, typeof named === 'string' ? named : '', at);
    await writeFile(at, body, { mode: 0o600 });
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
