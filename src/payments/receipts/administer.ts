import type { Sealing } from '../../parties/administer.ts';
import { addKey, newSharedSecret, requireSameMasterKey } from '../../parties/keys.ts';
import { findVendor, readVids } from '../../parties/read-vendors.ts';
import { findCollector, scopeOf } from '../../parties/read-collectors.ts';
import { listKeysOf } from '../../parties/read-keys.ts';
import { isInScope } from '../../parties/vendor.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { withinTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { accountEndText, accountText } from '../ledger/authenticity.ts';
import { listUnknownBanks } from '../house/store.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { sourceProtocolOf, statementsOf } from '../../connectors/registry.ts';
import { SOURCE_KINDS } from '../../connectors/source.ts';
import { isSameAccount } from '../../connectors/source-statements.ts';
import { isRenumbered } from './bank-accounts.ts';
import { normaliseAccount } from './receipt.ts';
import {
  endAccount,
  findSource,
  insertAccount,
  listAccounts,
  listSources,
  lockAccount,
  putSource,
} from './sources-store.ts';
import type { SourceRow } from './sources-store.ts';

export { listSources } from './sources-store.ts';
import { keyHolders } from './sources.ts';

/** Throws: `PlainError` if it does not exist. */
export async function requireSource(db: Queryable, sourceCode: string): Promise<SourceRow> {
  const row = await findSource(db, sourceCode);
  if (row !== undefined) return row;
  throw new PlainError(`There is no source ${sourceCode}.`, { field: 'source' });
}

/**
 * Adds a source, or changes the given settings.
 * Throws: `PlainError` with the problem.
 */
export async function setSource(
  db: Queryable,
  sourceCode: string,
  change: Partial<Omit<SourceRow, 'sourceCode' | 'pulledUntil'>>,
): Promise<{ readonly row: SourceRow; readonly added: boolean }> {
  return await changeSettings(db, 'billers', async (client) => {
    const known = await findSource(client, sourceCode);
    const { name = known?.name, collector = known?.collector, kind = known?.kind } = change;
    if (name === undefined || collector === undefined || kind === undefined) {
      throw new PlainError('A new source needs a name, a kind and a collector.');
    }
    if (known !== undefined && known.kind !== kind) {
      throw new PlainError('The kind of a source cannot be changed.', { field: 'kind' });
    }
    if ((await findCollector(client, collector)) === undefined) {
      throw new PlainError(`There is no collector ${collector}.`, { field: 'collector' });
    }
    const settings = Object.fromEntries(
      Object.entries({ ...known?.settings, ...change.settings }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    const status = change.status ?? known?.status ?? 'active';
    const bank = change.bank ?? known?.bank ?? sourceCode;
    const row = { sourceCode, name, collector, kind, bank, settings, status };
    await requireBank(client, row);
    await checkSource(row);
    await requireOwnAccount(client, row);
    await putSource(client, row, known !== undefined && isRenumbered(known, row));
    return { row: await requireSource(client, sourceCode), added: known === undefined };
  });
}

/** Throws: `PlainError` unless the account of ours is named as the source, that of another one, or in the chart. */
async function requireBank(
  db: Queryable,
  { bank, sourceCode }: Pick<SourceRow, 'bank' | 'sourceCode'>,
): Promise<void> {
  if (bank === sourceCode || (await listUnknownBanks(db, [bank])).length === 0) return;
  const text = `There is no account bank:${bank}. Add it with house chart propose.`;
  throw new PlainError(text, { field: 'bank' });
}

/**
 * One bank account is one source: in two of them, each of its credits would be two receipts.
 * Throws: `PlainError` if another source is of this account, or one that it is said to be separate from is not known.
 */
async function requireOwnAccount(
  db: Queryable,
  source: Pick<SourceRow, 'sourceCode' | 'kind' | 'settings'>,
): Promise<void> {
  const { bankAccount: account, separateFrom = [] } = statementsOf(source) ?? {};
  for (const code of separateFrom) await requireSource(db, code);
  if (account === undefined) return;
  const other = (await listSources(db)).find(
    (row) =>
      row.sourceCode !== source.sourceCode &&
      isSameAccount(statementsOf(row)?.bankAccount, account),
  );
  if (other === undefined) return;
  throw new PlainError(
    `Account ${account} belongs to source ${other.sourceCode}. Import all its statements there; the format can be changed.`,
    { field: 'bank_account' },
  );
}

async function checkSource(
  row: Pick<SourceRow, 'sourceCode' | 'kind' | 'settings'>,
): Promise<void> {
  const { sourceCode, kind, settings } = row;
  if (!SOURCE_KINDS.some((known) => known === kind)) {
    throw new PlainError(`It must be one of ${SOURCE_KINDS.join(', ')}.`, { field: 'kind' });
  }
  await usable(async () => {
    const protocol = sourceProtocolOf(kind);
    if (protocol === undefined) return void statementsOf(row);
    const source = protocol.create({
      sourceCode,
      settings,
      secret: protocol.exampleSecret,
      pathSecrets: [{ secret: 'example', validUntil: null }],
      callbackUrl: `https://localhost/receipts/${sourceCode}`,
    });
    await source.close();
  });
}

/** Runs a check whose errors are for people. */
async function usable(check: () => Promise<void> | void): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new PlainError((error as Error).message, { cause: error });
  }
}

/**
 * Sets the provider's secret. The first time, also makes the secret of our callback URLs, which
 * stays: the URLs are registered once.
 */
export async function setSourceKey(
  db: Queryable,
  sourceCode: string,
  options: { readonly secret: string; readonly sealing: Sealing },
): Promise<void> {
  const { masterKeys, certain } = options.sealing;
  await changeSettings(db, 'billers', async (client) => {
    const { kind } = await requireSource(client, sourceCode);
    const protocol = sourceProtocolOf(kind);
    if (protocol === undefined) throw new PlainError('A source of statements has no key.');
    await usable(() => protocol.checkSecret(sourceCode, options.secret));
    await requireSameMasterKey(client, masterKeys, certain);
    const holders = keyHolders(sourceCode);
    const add = async (holder: string, secret: string): Promise<void> =>
      await addKey(
        client,
        { holderKind: 'source', holder },
        { secret, overlapSeconds: 0, masterKeys },
      );
    await add(holders.provider, options.secret);
    const made = await listKeysOf(client, { holderKind: 'source', holder: holders.paths });
    if (made.length === 0) await add(holders.paths, newSharedSecret());
  });
}

interface AccountDeps {
  readonly pool: Queryable;
  /** Signs account numbers: they decide to whom money is credited. */
  readonly ledgerMac: Mac;
}

export interface AccountChange {
  readonly sourceCode: string;
  readonly account: string;
  readonly by: string;
}

/**
 * Gives a vendor an account number at a source.
 * Throws: `PlainError` if it is in use, or the source's collector may not collect for the vendor.
 */
export async function addAccount(
  { pool, ledgerMac }: AccountDeps,
  change: AccountChange & { readonly vid: string },
): Promise<string> {
  const addedBy = requirePerson(change.by);
  const account = requireAccount(change.account);
  const { sourceCode, vid } = change;
  return await withinTransaction(pool, async (client) => {
    const source = await requireSource(client, sourceCode);
    const vendor = await findVendor(client, vid);
    if (vendor === undefined) throw new PlainError(`There is no vendor ${vid}.`, { field: 'vid' });
    const collector = await findCollector(client, source.collector);
    if (collector === undefined || !isInScope(scopeOf(collector), vid)) {
      throw new PlainError(`Collector ${source.collector} may not collect for ${vid}.`, {
        field: 'vid',
      });
    }
    const { vendorId } = vendor;
    const addedAt = await postingTime(client);
    const made = { accountId: newId(), sourceCode, account, vendorId, addedAt, addedBy };
    if (!(await insertAccount(client, { ...made, mac: ledgerMac.sign(accountText(made)) }))) {
      throw new PlainError(`Account ${account} is in use at ${sourceCode}.`, { field: 'account' });
    }
    return account;
  });
}

/** Throws: `PlainError` if the account is not in use. */
export async function removeAccount(
  { pool, ledgerMac }: AccountDeps,
  change: AccountChange,
): Promise<string> {
  const endedBy = requirePerson(change.by);
  const account = requireAccount(change.account);
  const { sourceCode } = change;
  return await withinTransaction(pool, async (client) => {
    const accountId = await lockAccount(client, { sourceCode, account });
    if (accountId === undefined) {
      throw new PlainError(`Account ${account} is not in use at ${sourceCode}.`, {
        field: 'account',
      });
    }
    const end = { accountId, endedAt: await postingTime(client), endedBy };
    await endAccount(client, { ...end, mac: ledgerMac.sign(accountEndText(end)) });
    return account;
  });
}

/** The account numbers of a source, with their vendors. Throws: `PlainError` if it does not exist. */
export async function listNumbers(
  db: Queryable,
  sourceCode: string,
  page: Parameters<typeof listAccounts>[2],
) {
  await requireSource(db, sourceCode);
  const vids = await readVids(db);
  return (await listAccounts(db, sourceCode, page)).map(
    ({ account, vendorId, addedAt, addedBy }) => ({
      ...{ account, vid: vids.get(vendorId) ?? String(vendorId), addedAt, addedBy },
    }),
  );
}

/** Throws: `PlainError` (field `account`) if it cannot be an account number. */
export function requireAccount(text: string): string {
  const account = normaliseAccount(text);
  if (account !== '') return account;
  throw new PlainError('It must be 1 to 20 letters and digits.', { field: 'account' });
}
