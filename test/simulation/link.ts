import type { Pool } from '../../src/platform/db/pool.ts';
import { BugNotPlantedError } from './database.ts';
import type { Fault } from './faults.ts';
import { judgeQueue } from './judge.ts';
import type { Owner } from './schedule.ts';
import type { World } from './world.ts';
import { arrayElements } from '../support/array-elements.ts';

/** A running process, as the network sees it. */
export interface Life extends Owner {
  readonly name: string;
  /** It has crashed. */
  crash(): Promise<void>;
  standStill(forMs: number): void;
}

/** The database as all processes of a run reach it. */
export interface Network {
  /** A pool of this process. */
  poolOf(life: Life): Pool;
  /** Nobody can connect until then. */
  awayUntilMs: number;
  /** Call this when a process has ended: its database transaction is rolled back. */
  rollBack(life: Life): Promise<void>;
  /** Called after each commit that changed settings, as their notification does. */
  onSettingsChanged: () => void;
}

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Session {
  readonly life: Life;
  inTransaction: boolean;
  lost: boolean;
}

interface Answer {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const TYPICAL_MS = 2;

/** The crash faults that a statement stands for, by its name: before its commit, and after. */
const CRASHES: Readonly<Record<string, readonly [Fault, Fault]>> = {
  create_payments: ['crash_before_create_commit', 'crash_after_create_commit'],
  claim_to_send: ['crash_before_claim_commit', 'crash_after_claim_commit'],
  claim_to_ask: ['crash_before_claim_commit', 'crash_after_claim_commit'],
  settle_payments: ['crash_before_settle_commit', 'crash_after_settle_commit'],
  write_progress: ['crash_before_progress_commit', 'crash_after_progress_commit'],
};
/** How much more often than usual a process crashes during each of them. */
const BEFORE_COMMIT: Readonly<Record<string, number>> = {
  create_payments: 3,
  settle_payments: 6,
  write_progress: 4,
};
const ANSWERS_LOST: Readonly<Record<string, Fault>> = {
  create_payments: 'create_answer_lost',
  claim_to_send: 'claim_answer_lost',
  claim_to_ask: 'claim_answer_lost',
  settle_payments: 'settle_answer_lost',
};

const CLAIMS = new Set(['claim_to_send', 'claim_to_ask']);

/** Sent through lanes, which have a time limit. */
const LANES = new Set(['create_payments', 'settle_payments', 'write_progress']);

/**
 * Connections to the database. A statement is sent, executed alone, and answered: anything else may
 * happen between these three moments. A database transaction of several statements makes the others
 * wait, as its row locks would.
 */
export function createNetwork(world: World): Network {
  const { schedule, random, database } = world;
  let holder: Session | undefined;
  const waiting: (() => Promise<void>)[] = [];
  // Processes whose answer from the database is still on its way.
  const unaware = new Map<string, Life>();

  const resumeWaiting = async (): Promise<void> => {
    holder = undefined;
    for (;;) {
      const next = holder === undefined ? waiting.shift() : undefined;
      if (next === undefined) return;
      await next();
    }
  };

  const execute = async (session: Session, statement: Statement, answer: Answer): Promise<void> => {
    if (holder !== undefined && holder !== session) {
      waiting.push(() => execute(session, statement, answer));
      return;
    }
    const { life } = session;
    const kind = kindOf(statement);
    await world.crashPoint(life, { crash: BEFORE_COMMIT[kind] ?? (session.inTransaction ? 4 : 1) });
    if (life.dead && (session.inTransaction || kind === 'begin' || random.chance(0.5))) {
      noteCrash(kind, 0);
      return;
    }
    if (session.lost || (!life.dead && world.strikes('lost_before_commit'))) {
      await lose(session, answer);
      return;
    }
    const refusal = refuse(kind, life);
    if (refusal !== undefined) {
      reply(life, () => answer.reject(refusal));
      return;
    }
    await executeNow(session, statement, answer);
  };

  const executeNow = async (
    session: Session,
    statement: Statement,
    answer: Answer,
  ): Promise<void> => {
    const { life } = session;
    const kind = kindOf(statement);
    // Before it is executed: a process that ends meanwhile is rolled back.
    if (kind === 'begin') {
      holder = session;
      session.inTransaction = true;
    }
    let result: unknown;
    let error: unknown;
    try {
      result = await database.execute(schedule.nowMs, statement);
    } catch (thrown) {
      if (thrown instanceof BugNotPlantedError) throw thrown;
      error = thrown;
    }
    const rows = (result as { rowCount?: number } | undefined)?.rowCount;
    world.log(
      `${life.name} ${kind} ${error === undefined ? `→ ${rows}` : `failed: ${messageOf(error)}`}`,
    );
    follow(kind, { statement, result, failed: error !== undefined });
    if (error === undefined && kind in CRASHES && rows !== 0) await judgeQueue(world);
    const ended = kind === 'commit' || kind === 'rollback';
    await world.crashPoint(life, CLAIMS.has(kind) ? { standStill: 8 } : {});
    // A process that ended while its `begin` ran was removed before it held any lock.
    if (life.dead && holder === session) await network.rollBack(life);
    if (life.dead) noteCrash(kind, 1);
    else if (LANES.has(kind) && world.strikes('database_silent')) return;
    else if (world.strikes('lost_after_commit')) {
      const lost = ANSWERS_LOST[kind];
      if (lost !== undefined) world.note(lost);
      await lose(session, answer);
      return;
    } else {
      const known = `${life.name} ${kind}`;
      unaware.set(known, life);
      reply(life, () => {
        unaware.delete(known);
        if (error === undefined) answer.resolve(result);
        else answer.reject(error);
      });
    }
    // A process that ended meanwhile has already released the others.
    if (ended && holder === session) await resumeWaiting();
  };

  const reply = (life: Life, deliver: () => void): void => {
    schedule.after(random.latencyMs(TYPICAL_MS), deliver, life);
  };

  const lose = async (session: Session, answer: Answer): Promise<void> => {
    session.lost = true;
    if (holder === session) {
      await database.execute(schedule.nowMs, { text: 'rollback', values: [] });
      await resumeWaiting();
    }
    reply(session.life, () => answer.reject(failure('ECONNRESET', 'the connection was lost')));
  };

  const refuse = (kind: string, life: Life): Error | undefined => {
    if (life.dead || !(kind in CRASHES)) return undefined;
    if (world.strikes('database_conflict')) return failure('40P01', 'deadlock detected');
    if (world.strikes('database_refused')) return failure('53100', 'no space left on device');
    return undefined;
  };

  const noteCrash = (kind: string, after: 0 | 1): void => {
    const crash = CRASHES[kind]?.[after];
    if (crash !== undefined) world.note(crash);
  };

  /** Counts what an executed statement shows. */
  const follow = (
    kind: string,
    done: { readonly statement: Statement; readonly result: unknown; readonly failed: boolean },
  ): void => {
    if (done.failed) return;
    const { rows, rowCount } = done.result as {
      rows: Record<string, unknown>[];
      rowCount: number | null;
    };
    if (kind === 'settle_payments') {
      for (const row of rows) if (row['result'] === 'repeated') world.note('settle_repeated');
    }
    if (kind === 'write_progress') {
      const notes = arrayElements(done.statement.values[7]).map(String);
      if (rows[0]?.['written'] !== notes.length) world.note('late_worker_fenced');
      if (notes.some((note) => note.includes('too late to send'))) {
        world.note('late_claim_not_sent');
      }
    }
    if (done.statement.text.startsWith('insert into route_breakers') && rowCount === 1) {
      world.note('breaker_opened');
    }
    if (done.statement.text.startsWith('delete from route_breakers') && rowCount === 1) {
      world.note('breaker_closed');
    }
    if (done.statement.text.startsWith('update settings_versions')) {
      schedule.after(random.latencyMs(200), () => network.onSettingsChanged());
    }
  };

  const send = async (session: Session, statement: Statement): Promise<unknown> =>
    await new Promise((resolve, reject) => {
      const { life } = session;
      if (session.lost || (network.awayUntilMs > schedule.nowMs && holder !== session)) {
        reply(life, () => reject(failure('ECONNREFUSED', 'the database is away')));
        return;
      }
      // Once it is in transit, it no longer depends on its sender.
      schedule.after(random.latencyMs(TYPICAL_MS), () =>
        execute(session, statement, { resolve, reject }),
      );
    });

  const network: Network = {
    awayUntilMs: 0,
    onSettingsChanged: () => {},
    rollBack: async (life) => {
      for (const [known, unawareLife] of unaware) {
        if (unawareLife !== life) continue;
        if (!world.calm) noteCrash(known.slice(life.name.length + 1), 1);
        unaware.delete(known);
      }
      if (holder?.life !== life) return;
      world.note('crash_inside_transaction');
      await database.execute(schedule.nowMs, { text: 'rollback', values: [] });
      await resumeWaiting();
    },
    poolOf: (life) => {
      const open = (): Session => ({ life, inTransaction: false, lost: false });
      const pool = {
        query: (statement: unknown, values?: readonly unknown[]) =>
          send(open(), normalise(statement, values)),
        connect: async () => {
          if (network.awayUntilMs > schedule.nowMs) {
            throw failure('ECONNREFUSED', 'the database is away');
          }
          const session = open();
          return {
            query: (statement: unknown, values?: readonly unknown[]) =>
              send(session, normalise(statement, values)),
            on: () => {},
            off: () => {},
            release: () => {},
          };
        },
        on: () => {},
        end: async () => {},
      };
      return pool as unknown as Pool;
    },
  };
  return network;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'not an error';
}

function kindOf(statement: Statement): string {
  return statement.name ?? statement.text.trim().split(/\s+/, 1)[0] ?? '';
}

function normalise(statement: unknown, values: readonly unknown[] = []): Statement {
  if (typeof statement === 'string') return { text: statement, values };
  return statement as Statement;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
