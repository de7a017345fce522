import { promises as dns } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';

/**
 * All addresses of a name, never none.
 * Throws: `ENOTFOUND` if there is no such name, `EAI_AGAIN` if no server has said so in time.
 */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

interface ResolveOptions {
  /** The time limit of a whole look-up, all servers and records included. */
  readonly deadlineMs?: number;
  /** DNS servers, `address:port`. Default: the system's. */
  readonly servers?: readonly string[];
  /** Default: `/etc/hosts`. */
  readonly hostsFile?: string;
  /** The file that lists search domains. Default: `/etc/resolv.conf`. */
  readonly searchFile?: string;
}

const DEADLINE_MS = 4_500;
/** Each server is asked again after a quarter of the deadline, and then given half of it. */
const TRIES = 2;
const TRY_SHARE = 1 / 4;
/** Codes with which a server says that there is no such name, or no address of this family. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up in `/etc/hosts` and DNS, with the domains that `/etc/resolv.conf` says are searched. `dns.lookup`
 * would occupy one of the few threads that all files and look-ups of the process share until a server answers,
 * so a name whose server is silent would hold up everybody's.
 */
export function createResolve(options: ResolveOptions = {}): Resolve {
  const { hostsFile = '/etc/hosts', searchFile = '/etc/resolv.conf' } = options;
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const local = addressesIn(await readText(hostsFile), name);
    if (local.length > 0) return local;
    // RFC 6761: never asked of a server.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const names = hostname.endsWith('.') ? [name] : candidatesOf(name, await readText(searchFile));
    return await ask(names, options);
  };
}

export const resolveName = createResolve();

/** A file that cannot be read is as good as an empty one, as for the system's own look-ups. */
async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}

function addressesIn(hosts: string, name: string): LookupAddress[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.includes(name) ? [{ address, family }] : [];
  });
}

/** The full names that a name may stand for, in the order of `resolv.conf(5)`. */
function candidatesOf(name: string, resolvConf: string): readonly string[] {
  let [domains, minDots]: [readonly string[], number] = [[], 1];
  for (const line of resolvConf.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'search' || keyword === 'domain') domains = values;
    const dots = keyword === 'options' && values.findLast((value) => value.startsWith('ndots:'));
    if (dots) minDots = Number(dots.slice('ndots:'.length));
  }
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  const isFull = name.split('.').length - 1 >= minDots;
  return isFull ? [name, ...searched] : [...searched, name];
}

async function ask(names: readonly string[], options: ResolveOptions): Promise<LookupAddress[]> {
  // One for each look-up: it reads which servers there are, and is cancelled alone.
  const { servers, deadlineMs = DEADLINE_MS } = options;
  const timeout = Math.ceil(deadlineMs * TRY_SHARE);
  const resolver = new dns.Resolver({ timeout, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    resolver.cancel();
  }, deadlineMs);
  let code = 'ENOTFOUND';
  try {
    for (const name of names) {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? answer.value : [],
      );
      if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
      if (!answers.every(isAbsence)) code = 'EAI_AGAIN';
      if (isLate) break;
    }
  } finally {
    clearTimeout(deadline);
  }
  throw Object.assign(new Error(`${names.at(-1)} could not be looked up`), { code });
}

function isAbsence(answer: PromiseSettledResult<unknown>): boolean {
  return (
    answer.status === 'rejected' &&
    ABSENT.has(String((answer.reason as NodeJS.ErrnoException).code))
  );
}

/**
 * Creates a `lookup` for `net.connect` and all that passes its options on.
 * @param check throws if a connection to the addresses is refused.
 */
export function createLookup(
  resolve: Resolve = resolveName,
  check: (hostname: string, addresses: readonly LookupAddress[]) => void = () => undefined,
): LookupFunction {
  return (hostname, { all, family }, callback) => {
    const find = async (): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
      const found = await resolve(hostname);
      check(hostname, found);
      const [first, ...others] = found.filter((one) => !hasFamily(family) || one.family === family);
      if (first === undefined) throw noAddress(hostname);
      return [first, ...others];
    };
    find().then(
      // Outside the promise: what the callback throws is not ours.
      (found) => {
        setImmediate(() => {
          if (all === true) callback(null, [...found]);
          else callback(null, found[0].address, found[0].family);
        });
      },
      (error: unknown) => setImmediate(() => callback(error as NodeJS.ErrnoException, '', 0)),
    );
  };
}

function hasFamily(family: unknown): boolean {
  return family === 4 || family === 6;
}

function noAddress(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

/** Resolves hosts that only staff and the environment can name. */
export const lookupHost = createLookup();

/**
 * One look-up at a time of each name of `owner`; the others wait, and those of the name that is being looked up share
 * its result. So whoever names many hosts whose servers are silent waits for them alone.
 */
export function createTurns(resolve: Resolve = resolveName): (owner: unknown) => Resolve {
  interface Turn {
    readonly hostname: string;
    readonly found: ReturnType<Resolve>;
  }
  const last = new Map<unknown, Turn>();
  return (owner) => (hostname) => {
    const before = last.get(owner);
    if (before?.hostname === hostname) return before.found;
    const waited = before === undefined ? Promise.resolve() : before.found.catch(() => undefined);
    const turn: Turn = { hostname, found: waited.then(async () => await resolve(hostname)) };
    last.set(owner, turn);
    const forget = (): void => {
      if (last.get(owner) === turn) last.delete(owner);
    };
    turn.found.then(forget, forget);
    return turn.found;
  };
}
