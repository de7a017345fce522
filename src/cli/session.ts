import path from 'node:path';
import { createWireTime } from '../platform/base/clock.ts';
import type { WireTime } from '../platform/base/clock.ts';
import type { Mac } from '../platform/base/mac.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { enterIfChanged } from '../history.ts';
import { locateData } from '../platform/embedded/folder.ts';
import { isMigrated } from '../platform/db/migrate.ts';
import { SCHEMA } from '../schema.ts';
import { openDatabase } from '../platform/db/open.ts';
import type { OpenDatabase } from '../platform/db/open.ts';
import { waitForOthers } from '../platform/db/other-sessions.ts';
import { createPool, isConnectionError } from '../platform/db/pool.ts';
import type { Pool } from '../platform/db/pool.ts';
import { readTimeZone } from '../platform/history/store.ts';
import { requireSameDatabase } from '../platform/db/same-database.ts';
import { isRefusedLogin } from '../platform/db/failures.ts';
import { explainUnusable } from '../platform/db/unusable.ts';
import { describeUnmigrated, orNotReady } from '../platform/db/version.ts';
import { enterAfterRestore } from '../payments/quarantine/after-restore.ts';
import type { Sealing } from '../parties/administer.ts';
import { requireSameMasterKey } from '../parties/keys.ts';
import { findLedgerMac, openLedgerMac } from '../parties/ledger-key.ts';
import { readMasterKeyFile } from '../parties/master-key-file.ts';
import { OPEN_MS, openAmongOthers } from '../platform/embedded/open-among-others.ts';

/** The dependencies of a command while it runs. */
export interface Session {
  readonly config: Config;
  /** As the runtime role. */
  readonly pool: Pool;
  /**
   * The pool of the schema's owner, for what the runtime role may not do; closed with the session.
   */
  readonly ownerPool: () => Promise<Pool>;
  /** The data folder of the embedded database; undefined with DATABASE_URL. */
  readonly data: string | undefined;
  /** Another pool on the same database, closed with the session. */
  readonly openPool: (max: number) => Pool;
  readonly wireTime: WireTime;
  /** MASTER_KEY, or the sandbox's own. Throws: `PlainError` if neither exists. */
  readonly sealing: () => Promise<Sealing>;
  /** The ledger's authentication codes. Throws: `PlainError` without the right MASTER_KEY. */
  readonly ledgerMac: () => Promise<Mac>;
  /**
   * The same for checking; undefined if the environment has no master key, or no code exists yet.
   */
  readonly findLedgerMac: () => Promise<Mac | undefined>;
}

export interface SessionNeeds {
  /** True for the command that migrates the database. */
  readonly unmigrated?: boolean;
}

/** The name of the commands' connections, so that they recognise each other. */
const POOL_NAME = 'command';
/** A command that started the embedded server waits this long for other commands that share it. */
const OTHERS_MS = 60_000;

/**
 * Opens the database that the environment names, runs `work` and closes everything that was opened.
 * The embedded database is shared with a running service or another command; if none is running, it
 * is started, and stopped afterwards.
 */
export async function withSession(
  environment: Record<string, string | undefined> | undefined,
  needs: SessionNeeds,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  // The sandbox's rules, because most commands need no master key; those that do check for it.
  const given = readConfig('sandbox', environment);
  if (needs.unmigrated !== true) await requireDatabase(given);
  const { database, pool } = await connect(given, needs);
  const pools = [pool];
  const open = (url: string, max: number): Pool => {
    const opened = createPool({ url, max, name: POOL_NAME, patient: true });
    pools.push(opened);
    return opened;
  };
  let owner: Promise<Pool> | undefined;
  const openOwner = async (): Promise<Pool> => {
    const opened = open(database.ownerUrl, 2);
    await requireSameDatabase(opened, pool).catch((error: unknown) => {
      if (given.databaseOwnerUrl === undefined) throw error;
      throw explainUnusable(error, database.ownerUrl, 'DATABASE_OWNER_URL');
    });
    return opened;
  };
  try {
    const config = needs.unmigrated === true ? given : await inServiceTimeZone(given, pool);
    await work({
      config,
      pool,
      ownerPool: () => (owner ??= openOwner()),
      data: database.data,
      openPool: (max) => open(database.url, max),
      wireTime: createWireTime(config.timeZone),
      sealing: () => readSealing(config),
      ledgerMac: async () => {
        const { masterKeys, certain } = await readSealing(config);
        await requireSameMasterKey(pool, masterKeys, certain);
        return await openLedgerMac(pool, masterKeys);
      },
      findLedgerMac: async () => {
        const sealing = await readSealing(config).catch(() => undefined);
        return sealing && (await findLedgerMac(pool, sealing.masterKeys));
      },
    });
  } finally {
    await Promise.all(pools.map((opened) => opened.end()));
    await leave(database);
  }
}

/**
 * Times without an offset, and days, are those of the service: a statement imported in another time zone would
 * lack payments that it lists. Throws: `PlainError` if TIME_ZONE is set to another one.
 */
async function inServiceTimeZone(config: Config, pool: Pool): Promise<Config> {
  const timeZone = await readTimeZone(pool);
  if (timeZone === undefined || timeZone === config.timeZone) return config;
  if (config.variables.some(({ name, isSet }) => name === 'TIME_ZONE' && isSet)) {
    throw new PlainError(
      `TIME_ZONE is ${config.timeZone} for this command and ${timeZone} for the service, so days and times would be others. Unset it, or start the service with it first.`,
    );
  }
  return { ...config, timeZone };
}

async function connect(
  config: Config,
  needs: SessionNeeds,
): Promise<{ readonly database: OpenDatabase; readonly pool: Pool }> {
  const giveUpAt = performance.now() + OPEN_MS;
  for (;;) {
    const database = await openShared(config);
    const pool = createPool({ url: database.url, max: 2, name: POOL_NAME, patient: true });
    try {
      await requireReady(pool, needs);
      if (needs.unmigrated !== true) {
        await enterAfterRestore(pool, database.data);
        await enterIfChanged(pool);
      }
      return { database, pool };
    } catch (error) {
      await pool.end();
      await database.close();
      // The process that started the embedded server may just be stopping it; nothing has been done
      // yet.
      const again = config.databaseUrl === undefined && isConnectionError(error);
      if (again && performance.now() <= giveUpAt) continue;
      throw isRefusedLogin(error) ? explainUnusable(error, database.url, 'DATABASE_URL') : error;
    }
  }
}

async function leave(database: OpenDatabase): Promise<void> {
  if (database.started) {
    const pool = createPool({ url: database.ownerUrl, max: 1, name: POOL_NAME });
    // The command has finished; if the server is gone, nobody shares it.
    await waitForOthers(pool, POOL_NAME, OTHERS_MS).catch(() => undefined);
    await pool.end();
  }
  await database.close();
}

/** A mistyped DATA_DIR must not become a new, empty database. */
async function requireDatabase(config: Config): Promise<void> {
  if (config.databaseUrl !== undefined) return;
  if ((await locateData(path.join(config.dataDir, 'postgres'))) !== undefined) return;
  throw new PlainError(
    `There is no database in ${config.dataDir}. Start the service or run \`npm run -s malipo -- migrate\` to create one, or set DATA_DIR or DATABASE_URL to an existing one.`,
  );
}

async function openShared(config: Config): Promise<OpenDatabase> {
  return await openAmongOthers(
    async () =>
      await openDatabase({
        databaseUrl: config.databaseUrl,
        databaseOwnerUrl: config.databaseOwnerUrl,
        dataDir: config.dataDir,
        share: true,
        log: () => {},
      }),
  );
}

async function requireReady(pool: Pool, needs: SessionNeeds): Promise<void> {
  const migrated = await orNotReady(isMigrated(pool, SCHEMA), false);
  if (migrated || needs.unmigrated === true) return;
  throw new PlainError(
    `${await describeUnmigrated(pool, SCHEMA)} Run \`npm run -s malipo -- migrate\`, or start the service.`,
  );
}

async function readSealing(config: Config): Promise<Sealing> {
  if (config.masterKey !== undefined) {
    const masterKeys = { current: config.masterKey, previous: config.masterKeyPrevious };
    return { masterKeys, certain: true };
  }
  const found = await readMasterKeyFile(config.dataDir);
  if (found === undefined) {
    throw new PlainError(
      `MASTER_KEY is not set, and there is no sandbox in ${config.dataDir}. Set MASTER_KEY to the value that the service uses.`,
    );
  }
  return {
    masterKeys: { current: found, previous: config.masterKeyPrevious },
    // The folder may be that of a sandbox that has nothing to do with the database of DATABASE_URL.
    certain: config.databaseUrl === undefined,
  };
}
