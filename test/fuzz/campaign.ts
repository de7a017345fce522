import * as fc from 'fast-check';
import { createRandom } from '../simulation/random.ts';
import type { Random } from '../simulation/random.ts';
import { send } from '../support/vendor-client.ts';
import type { WireRequest } from '../support/vendor-client.ts';
import { mutate } from './bytes.ts';
import { fuzzedParsers, isDocumented } from './parsers.ts';
import type { FuzzedParser } from './parsers.ts';
import { BULK_PATH, goodRequest, signBulk, signCallback, signWhole } from './seeds.ts';
import { structuredRequest } from './structured.ts';
import { exchangeBytes, toBytes } from './wire.ts';

export interface Crash {
  /** Makes the same input again: `--inputs 1 --seed <seed>`. */
  readonly seed: number;
  readonly kind: string;
  readonly what: string;
  /** What was sent, in base64. */
  readonly input: string;
}

export interface Campaign {
  readonly inputs: number;
  /** Answers by status; parsers count as `parsed` and `refused`, closed connections as `closed`. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly crashes: readonly Crash[];
}

export interface CampaignOptions {
  readonly origin: string;
  /** Has a folder for each worker, `0`, `1` …, where files for parsers may be written. */
  readonly folder: string;
  readonly inputs: number;
  readonly firstSeed: number;
  /** Inputs in progress at once. */
  readonly atOnce: number;
  /** A campaign ends after this many findings. Default 20. */
  readonly maxCrashes?: number;
  readonly onProgress?: (done: number) => void;
  readonly onCrash?: (crash: Crash) => void;
}

/** One judged input: how it ended, and what is wrong with that. */
interface Verdict {
  readonly kind: string;
  readonly statuses: readonly string[];
  readonly wrong: string | undefined;
  readonly input: Buffer;
}

/** A parser that takes longer would block all requests. */
const MAX_PARSER_MS = 1_000;
const MAX_ANSWER_MS = 25_000;

/** Codes of 503 that report a state of the outside world, not a failure of the service. */
const DOCUMENTED_503 = /"code":"(overloaded|biller_offline|operator_unavailable)"/;

/** Sends this many inputs, one for each seed from the first one on, several at once. */
export async function fuzz(options: CampaignOptions): Promise<Campaign> {
  const statuses: Record<string, number> = {};
  const crashes: Crash[] = [];
  const maxCrashes = options.maxCrashes ?? 20;
  let [begun, done] = [0, 0];
  const worker = async (_: unknown, index: number): Promise<void> => {
    // Parsers that run at the same time must not use the same file.
    const parsers = fuzzedParsers(`${options.folder}/${index}`);
    while (begun < options.inputs && crashes.length < maxCrashes) {
      const seed = options.firstSeed + begun;
      begun += 1;
      const verdict = await tryOne(seed, options.origin, parsers);
      done += 1;
      for (const status of verdict.statuses) statuses[status] = (statuses[status] ?? 0) + 1;
      if (verdict.wrong !== undefined) {
        const { kind, wrong: what, input } = verdict;
        const crash = { seed, kind, what, input: input.toString('base64') };
        crashes.push(crash);
        options.onCrash?.(crash);
      }
      options.onProgress?.(done);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, worker));
  return { inputs: done, statuses, crashes };
}

async function tryOne(
  seed: number,
  origin: string,
  parsers: readonly FuzzedParser[],
): Promise<Verdict> {
  const random = createRandom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let round = 0; round < 3; round += 1) random.next();
  const choice = random.whole(1, 100);
  if (choice <= 30) {
    const [request] = fc.sample(structuredRequest, { numRuns: 1, seed });
    if (request !== undefined) return await judgeRequest('structured', request, origin);
  }
  if (choice <= 60) return await judgeRequest('mutated body', mutatedBody(random), origin);
  if (choice <= 75) return await judgeBytes(random, origin);
  return await judgeParser(random.pick(parsers), random);
}

/** A valid request with changed bytes in its body; half of them are signed again afterwards. */
function mutatedBody(random: Random): WireRequest {
  const good = goodRequest(random);
  if (good.body === undefined) return random.chance(0.5) ? signWhole(good) : good;
  const body = mutate(Buffer.from(good.body), random);
  if (good.path.startsWith('/callbacks/')) return signCallback(body);
  if (good.path.startsWith(BULK_PATH)) {
    return signBulk(body, good.headers?.['content-type'] ?? 'text/csv');
  }
  const changed = { ...good, body };
  return random.chance(0.7) ? signWhole(changed) : changed;
}

async function judgeRequest(kind: string, request: WireRequest, origin: string): Promise<Verdict> {
  const input = toBytes(request);
  let late: NodeJS.Timeout | undefined;
  const lateness = new Promise<'late'>((resolve) => {
    late = setTimeout(() => resolve('late'), MAX_ANSWER_MS);
  });
  try {
    const answer = await Promise.race([send(origin, request), lateness]);
    if (answer === 'late') return { kind, statuses: ['hung'], wrong: 'no answer', input };
    return { kind, statuses: [String(answer.status)], wrong: faultOf(answer), input };
  } catch (error) {
    // Node's client refuses to send some; a server that closes early appears as a reset.
    const { code } = error as NodeJS.ErrnoException;
    const isOurs = code?.startsWith('ERR_') === true || code?.startsWith('HPE_') === true;
    if (isOurs || code === 'ECONNRESET' || code === 'EPIPE') {
      return { kind, statuses: ['closed'], wrong: undefined, input };
    }
    return { kind, statuses: ['closed'], wrong: String(error), input };
  } finally {
    clearTimeout(late);
  }
}

function faultOf(answer: { readonly status: number; readonly text: string }): string | undefined {
  if (answer.status < 500) return undefined;
  if (answer.status === 503 && DOCUMENTED_503.test(answer.text)) return undefined;
  return `answered ${answer.status}: ${answer.text.slice(0, 500)}`;
}

async function judgeBytes(random: Random, origin: string): Promise<Verdict> {
  const input = mutate(toBytes(goodRequest(random)), random);
  const { statuses, hung, text } = await exchangeBytes(Number(new URL(origin).port), input);
  const fault = statuses.find((status) => faultOf({ status, text }) !== undefined);
  return {
    kind: 'bytes',
    statuses: hung ? ['hung'] : statuses.length === 0 ? ['closed'] : statuses.map(String),
    wrong: hung
      ? 'neither answered nor closed'
      : fault === undefined
        ? undefined
        : faultOf({ status: fault, text }),
    input,
  };
}

async function judgeParser(parser: FuzzedParser, random: Random): Promise<Verdict> {
  const input = mutate(parser.seed, random);
  let judged = await readOnce(parser, input);
  // Other inputs are served meanwhile, and count too.
  for (let again = 0; again < 3 && judged.isSlow; again += 1)
    judged = await readOnce(parser, input);
  return judged;
}

async function readOnce(
  parser: FuzzedParser,
  input: Buffer,
): Promise<Verdict & { readonly isSlow: boolean }> {
  const kind = `parser of ${parser.name}`;
  const before = process.cpuUsage();
  const verdict = (status: string, wrong?: string) => {
    const { user, system } = process.cpuUsage(before);
    const tookMs = (user + system) / 1000;
    const slow = tookMs > MAX_PARSER_MS;
    return {
      kind,
      statuses: [status],
      wrong: wrong ?? (slow ? `took ${tookMs} ms` : undefined),
      isSlow: slow && wrong === undefined,
      input,
    };
  };
  try {
    await parser.read(input);
    return verdict('parsed');
  } catch (error) {
    if (isDocumented(error)) return verdict('refused');
    return verdict('threw', String((error as Error).stack ?? error));
  }
}
