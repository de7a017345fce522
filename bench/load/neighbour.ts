import { createHash, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { personOf } from '../credit/population.ts';
import type { MeasuredList } from '../self-service-lists.ts';
import type { BenchVendor } from '../stage.ts';
import { personOfSession } from './person.ts';
import { CREATE_PATH, signedForm } from './requests.ts';
import { signedCalls } from './signed-reads.ts';

/** A vendor that uses all operations that it may, a little faster than its limits allow. */
export interface NeighbourOptions {
  readonly port: number;
  readonly vendor: BenchVendor;
  /** The session of its administrator in the console. */
  readonly session: string;
  readonly lists: readonly MeasuredList[];
  /** Paths of the console, each with the body of a POST. */
  readonly pages: readonly { readonly path: string; readonly body?: object }[];
  /** Ours, of one of its payments. */
  readonly reference: string;
  /** Days whose events it replays. */
  readonly replayed: { readonly from: string; readonly to: string };
  /** Whom it enquires about. */
  readonly people: number;
  /** A file of many rows, whose results it asks for. */
  readonly largeBatch: string;
  readonly limits: NeighbourLimits;
  /** Also what only a few times a minute is served. */
  readonly withRare: boolean;
}

/** Requests per second that the service lets it make. */
export interface NeighbourLimits {
  /** Those with a `hash`. */
  readonly signed: number;
  /** Below `/v1`. */
  readonly selfService: number;
  readonly consoleReads: number;
  readonly consoleChanges: number;
}

/** How often each was served, and how often refused. */
export type Answers = ReadonlyMap<string, Readonly<Counts>>;

interface Counts {
  served: number;
  refused: number;
  underWay: number;
  /** An answer that says that the request is wrong. */
  unexpected?: string;
}

interface Call {
  readonly name: string;
  /** Files: the service reads one of them for a vendor at a time, and further ones would only wait. */
  readonly isLong?: boolean;
  /** A few a minute are served. */
  readonly isRare?: boolean;
  readonly send: (signal: AbortSignal) => Promise<Response>;
}

/** Its calls under one limit, which take turns. */
interface Group {
  readonly perSecond: number;
  readonly calls: readonly Call[];
}

/** How much faster it calls than it may. */
const EXCESS = 1.1;
/** Requests of each kind under way at once. */
const AT_ONCE = 3;
const BULK_ROWS = 25;
/** Answers to what is beyond a limit. */
const REFUSALS: ReadonlySet<number> = new Set([429, 503]);

export function startNeighbour(options: NeighbourOptions): {
  /** It leaves without the answers that it still expects. */
  readonly stop: () => Promise<Answers>;
} {
  const answers = new Map<string, Counts>();
  const ending = new AbortController();
  const { signal } = ending;
  const repeating = groupsOf(options).map(async (group) => await repeat(group, answers, signal));
  return {
    stop: async () => {
      ending.abort();
      await Promise.all(repeating);
      for (const [name, { unexpected }] of answers) {
        if (unexpected !== undefined) process.stderr.write(`${name} was answered ${unexpected}\n`);
      }
      return answers;
    },
  };
}

function groupsOf(options: NeighbourOptions): readonly Group[] {
  const { limits } = options;
  const { withRare } = options;
  return [
    { perSecond: limits.signed, calls: formCalls(options) },
    {
      perSecond: limits.selfService,
      calls: programCalls(options).filter(({ isRare = false }) => withRare || !isRare),
    },
    { perSecond: limits.consoleReads, calls: [consolePage(options)] },
    { perSecond: limits.consoleChanges, calls: [consoleExport(options)] },
  ];
}

/** By the clock, whether or not it is answered. */
async function repeat(
  { perSecond, calls }: Group,
  answers: Map<string, Counts>,
  signal: AbortSignal,
): Promise<void> {
  const started = calls.map((call) => {
    const counts: Counts = { served: 0, refused: 0, underWay: 0 };
    answers.set(call.name, counts);
    return { call, counts };
  });
  const all: Promise<void>[] = [];
  const gapMs = 1_000 / (perSecond * EXCESS);
  let turn = 0;
  let dueAt = performance.now();
  while (!signal.aborted) {
    for (; dueAt <= performance.now(); dueAt += gapMs) {
      const { call, counts } = started[(turn += 1) % started.length] ?? {};
      if (call === undefined || counts === undefined) continue;
      if (counts.underWay < (call.isLong === true ? 1 : AT_ONCE))
        all.push(count(call, counts, signal));
    }
    await delay(gapMs);
  }
  await Promise.all(all);
}

async function count(call: Call, counts: Counts, signal: AbortSignal): Promise<void> {
  counts.underWay += 1;
  const answer = await answerOf(call.send(signal));
  counts.underWay -= 1;
  if (answer === undefined) return;
  const { response, text } = answer;
  if (response.ok) counts.served += 1;
  else counts.refused += 1;
  if (!response.ok && !REFUSALS.has(response.status)) counts.unexpected = text;
}

/** All of it; undefined: the client has left. */
async function answerOf(
  sent: Promise<Response>,
): Promise<{ readonly response: Response; readonly text: string } | undefined> {
  try {
    const response = await sent;
    return { response, text: await response.text() };
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined;
    throw error;
  }
}

/** The operations of its programs with a `hash`. */
function formCalls({ port, vendor, reference, people, largeBatch }: NeighbourOptions): Call[] {
  const { vid } = vendor;
  const origin = `http://127.0.0.1:${port}`;
  const form = (name: string, path: string, fields: () => Record<string, string>): Call => ({
    name,
    send: async (signal) =>
      await fetch(origin + path, {
        ...{ method: 'POST', signal },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: signedForm(vendor, { ...fields(), vid }),
      }),
  });
  const enquiry = () => {
    const { name, documents } = personOf(randomInt(people));
    const [document] = documents;
    return {
      ...{ name1: name.surname, name2: name.forenames[0] ?? '' },
      [document?.type ?? 'nationalID']: document?.number ?? '',
      ...{ reportReason: '2', requestReference: newName('E') },
    };
  };
  return [
    form('create', CREATE_PATH, () => ({
      ...{ account: newAccount(), amount: '50.00', biller_name: 'kplc_prepaid' },
      merchant_reference: newName('n'),
    })),
    form('status', '/transaction/check/status', () => ({ reference })),
    form('balance', '/billing/account/balance', () => ({})),
    form('billers', '/billing/list', () => ({})),
    form('validate', '/billing/validate/account', () => ({
      ...{ account: newAccount(), account_type: 'kplc_prepaid' },
    })),
    form('lookup', '/billing/phone/lookup', () => ({ prefix: '722' })),
    form('id decision', '/id-decision', enquiry),
    form('score', '/generic-score', () => ({ ...enquiry(), reportSector: '2' })),
    {
      name: 'bulk',
      send: async (signal) => {
        const asked = { batch: newName('b'), rows: BULK_ROWS, amount: '50.00' };
        return await sendBulk(origin, vendor, { ...asked, signal });
      },
    },
    form('bulk result', '/transaction/bulk/result', () => ({
      ...{ batch_reference: largeBatch, format: 'csv' },
    })),
  ];
}

/** Sends a file of payments of this amount. */
export async function sendBulk(
  origin: string,
  vendor: BenchVendor,
  asked: {
    readonly batch: string;
    readonly rows: number;
    readonly amount: string;
    readonly signal?: AbortSignal;
  },
): Promise<Response> {
  const { batch, amount, signal = null } = asked;
  const rows = Array.from(
    { length: asked.rows },
    (_, row) => `${batch}-${row},kplc_prepaid,${newAccount()},${amount}`,
  );
  const file = ['merchant_reference,biller_name,account,amount', ...rows, ''].join('\n');
  const sha256 = createHash('sha256').update(file).digest('hex');
  const query = signedForm(vendor, { batch_reference: batch, sha256, vid: vendor.vid });
  return await fetch(`${origin}/transaction/bulk?${query}`, {
    ...{ method: 'POST', signal },
    headers: { 'content-type': 'text/csv' },
    body: file,
  });
}

/** Everything below `/v1` that is long, or calls its receiver. */
function programCalls({ port, vendor, lists, replayed }: NeighbourOptions): Call[] {
  const call = signedCalls(port, vendor);
  let turn = 0;
  const nextList = (): MeasuredList =>
    lists[(turn += 1) % lists.length] ?? { path: '/v1/payments', query: {} };
  return [
    {
      name: 'lists',
      send: async (signal) => await call({ method: 'GET', signal, ...nextList() }),
    },
    ...['/v1/payments.csv', '/v1/statement.csv'].map((path): Call => ({
      name: path,
      isLong: true,
      send: async (signal) => await call({ method: 'GET', path, signal }),
    })),
    ...['/v1/balance', '/v1/billers', '/v1/keys', '/v1/webhook'].map((path): Call => ({
      name: path,
      send: async (signal) => await call({ method: 'GET', path, signal }),
    })),
    {
      name: 'replay',
      isLong: true,
      isRare: true,
      send: async (signal) =>
        await call({
          method: 'POST',
          path: '/v1/events/replay',
          signal,
          json: replayed,
        }),
    },
    {
      name: 'webhook test',
      isRare: true,
      send: async (signal) => await call({ method: 'POST', path: '/v1/webhook/test', signal }),
    },
  ];
}

function consolePage({ port, session, pages }: NeighbourOptions): Call {
  const person = personOfSession(port, session);
  let turn = 0;
  return {
    name: 'console',
    send: async (signal) => {
      const { path = '/home', body } = pages[(turn += 1) % pages.length] ?? {};
      return await person.send(path, body, signal);
    },
  };
}

function consoleExport({ port, session }: NeighbourOptions): Call {
  const person = personOfSession(port, session);
  return {
    name: 'console export',
    isLong: true,
    send: async (signal) => await person.send('/payments.csv', undefined, signal),
  };
}

const newName = (prefix: string): string => `${prefix}${randomUUID().replaceAll('-', '')}`;

/** The simulated operators pay accounts with this ending at once. */
const newAccount = (): string => `14${randomInt(1_000_000, 9_999_999)}0000`;
