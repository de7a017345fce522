import type { Client, ClientConfig } from 'pg';
import { LookingUpClient } from './client.ts';

/** The servers that `DATABASE_URL` names. */
export interface DatabaseHosts {
  /** One URL for each, in the order given, without `target_session_attrs`. */
  readonly urls: readonly [string, ...string[]];
  /** True: only one that accepts writes is used. */
  readonly mustBeWritable: boolean;
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)([^?#]*)\??([^#]*)/;
const TARGET = 'target_session_attrs';
const TARGETS: Readonly<Record<string, boolean>> = {
  any: false,
  'read-write': true,
  primary: true,
};

/**
 * Reads a URL that may name several hosts, `postgresql://user@one:5432,two:5432/database`, as libpq
 * does, and `target_session_attrs`. With several hosts the default is `read-write`. Undefined if the
 * URL is not valid, as with a slash in the password, or asks for servers that accept no writes.
 */
export function readHosts(databaseUrl: string): DatabaseHosts | undefined {
  const [, start, list, path, query] = PARTS.exec(databaseUrl) ?? [];
  if (list === undefined) return undefined;
  const hosts = list.split(',');
  if (hosts.length > 1 && hosts.includes('')) return undefined;
  const parameters = (query ?? '').split('&').filter((pair) => pair !== '');
  const others = parameters.filter((pair) => !pair.startsWith(`${TARGET}=`));
  const asked = parameters.find((pair) => pair.startsWith(`${TARGET}=`))?.slice(TARGET.length + 1);
  const mustBeWritable = asked === undefined ? hosts.length > 1 : TARGETS[asked];
  if (mustBeWritable === undefined) return undefined;
  const rest = `${path}${others.length > 0 ? '?' : ''}${others.join('&')}`;
  const [first = '', ...more] = hosts.map((host) => `${start}${host}${rest}`);
  if (![first, ...more].every(isUrl)) return undefined;
  return { urls: [first, ...more], mustBeWritable };
}

/** As the driver reads it: the URL of a Unix socket has no host, but may have a user. */
function isUrl(text: string): boolean {
  return URL.canParse(text) || URL.canParse(text.replace('@/', '@host/'));
}

type OnEnd = (error: Error | null, client?: Client) => void;

interface Host {
  readonly host: string;
  readonly port: number;
}

const PROBE_TIMEOUT_MS = 3_000;

/**
 * A client that connects to the host that accepts writes. Clients of one class share the knowledge
 * which one that is, until one of them finds that it has changed.
 */
export function clientOf({ urls }: DatabaseHosts): typeof Client {
  let found: Promise<Host> | undefined;
  const find = async (): Promise<Host> => {
    found ??= findWritable(urls);
    return await found;
  };
  return class extends LookingUpClient {
    override connect(): Promise<Client>;
    override connect(onEnd: OnEnd): void;
    override connect(onEnd?: OnEnd): Promise<Client> | undefined {
      const connecting = this.#connect();
      if (onEnd === undefined) return connecting;
      connecting.then((client) => onEnd(null, client), onEnd as (error: Error) => void);
      return undefined;
    }

    async #connect(): Promise<Client> {
      try {
        const host = await find();
        Object.assign(this, host);
        await super.connect();
        await refuseStandby(this);
        return this;
      } catch (error) {
        // After a failover it is another one.
        found = undefined;
        throw error;
      }
    }
  };
}

/** The first that answers and accepts writes. */
async function findWritable(urls: readonly string[]): Promise<Host> {
  try {
    return await Promise.any(urls.map(probe));
  } catch (error) {
    const reasons = (error as AggregateError).errors.map(
      (reason: NodeJS.ErrnoException) => reason.message || reason.code,
    );
    throw connectionError(`none of the database hosts accepts writes: ${reasons.join('; ')}`);
  }
}

async function probe(url: string): Promise<Host> {
  const config: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  };
  const client = new LookingUpClient(config);
  // A connection that breaks is reported by the query as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseStandby(client);
    return { host: client.host, port: client.port };
  } finally {
    // The answer is known; a server that has gone closes nothing.
    client.end().catch(() => undefined);
  }
}

async function refuseStandby(client: Client): Promise<void> {
  const read = await client.query<{ standby: boolean; readOnly: boolean }>(
    `select pg_is_in_recovery() as standby,
       current_setting('transaction_read_only')::boolean as "readOnly"`,
  );
  const { standby = true, readOnly = true } = read.rows[0] ?? {};
  if (!standby && !readOnly) return;
  const why = standby ? 'is a standby' : 'accepts no writes';
  throw connectionError(`the database host ${client.host}:${client.port} ${why}`);
}

/** SQLSTATE 08006: the caller may try again. */
function connectionError(message: string): Error {
  return Object.assign(new Error(message), { code: '08006' });
}
