import { EmbeddedDatabaseError } from './error.ts';

/** Every acknowledged commit is on disk; a torn page is repaired. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const FOR_TESTS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Only this machine, only TCP: no socket file to clean up and no path that could be too long. */
const CLOSED = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** Suits two cores and little memory. A larger installation sets DATABASE_URL. */
const DEFAULTS = {
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  // Few, long checkpoints: the first change of a page after a checkpoint writes the whole page.
  checkpoint_timeout: '15min',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  // An archive that is away must not fill the disk: payments are worth more.
  max_slot_wal_keep_size: '16GB',
  random_page_cost: '1.1',
  // Also how long an index by block ranges goes without the newest rows, which each search then reads.
  autovacuum_naptime: '10s',
  // Our queries are short; compiling them costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '[%p] ',
  log_checkpoints: 'off',
  // Startup messages are recognised by their English text.
  lc_messages: 'C',
};

const FIXED = new Set([...Object.keys(DURABLE), ...Object.keys(CLOSED), 'port']);

/**
 * The settings of the server as arguments.
 * @param overrides PostgreSQL settings by name. @param durable false only for tests.
 * Throws: `EmbeddedDatabaseError` when an override touches durability or who can connect.
 */
export function settingsArgs(
  overrides: Readonly<Record<string, string>>,
  durable: boolean,
): readonly string[] {
  const refused = Object.keys(overrides).find((name) => FIXED.has(name.toLowerCase()));
  if (refused !== undefined) {
    throw new EmbeddedDatabaseError(
      `The setting ${refused} of the embedded database cannot be changed.`,
    );
  }
  const safety = durable ? DURABLE : FOR_TESTS;
  const all = { ...DEFAULTS, ...overrides, ...CLOSED, ...safety };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
