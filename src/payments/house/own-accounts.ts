import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { filledText, strict } from '../../platform/base/json-fields.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { OWN_CLASSES } from './account.ts';
import type { OwnClass } from './account.ts';
import { STANDARD_ACCOUNTS } from './standard-accounts.ts';
import { listUnknownBanks } from './store.ts';
import { insertOwnAccount, listAdded, listUnknownAccounts } from './own-accounts-store.ts';

export const HOUSE_ACCOUNT = 'house_account';

const CLASSED = `^(?:${OWN_CLASSES.join('|')}):[a-z0-9_-]{1,40}$`;
/** Of a class, or at a bank. */
const OWN_ACCOUNT = `${CLASSED}|^bank:[a-z0-9_]{1,40}$`;

const content = strict({
  account: Type.String({ pattern: OWN_ACCOUNT }),
  /** Its name in reports. */
  title: filledText(100),
});
type Content = Static<typeof content>;

interface Facts {
  readonly isKnown: boolean;
  /** Another account has the title. Reports would show two lines of one name. */
  readonly isTitleUsed: boolean;
}

/** An account of a class that two people add to the chart. It is never removed: transfers name it. */
export const houseAccountKind: AnyKind = kind<Content, Facts, Content>({
  name: HOUSE_ACCOUNT,
  title: 'Account of the house',
  content: compiled(content),
  proposedBy: 'finance.act',
  decidedBy: 'finance.act',
  about: ({ account }) => account,
  describe: ({ account, title }) => [
    { label: 'Account', text: account },
    { label: 'Title', text: title },
  ],
  read: async (db, { account, title }) => ({
    isKnown: await exists(db, account),
    isTitleUsed: (await listOwnAccounts(db)).some((other) => sameTitle(other.title, title)),
  }),
  check: ({ isKnown, isTitleUsed }) => {
    if (isKnown) throw new PlainError('This account exists.', { field: 'account' });
    if (!isTitleUsed) return;
    throw new PlainError('Another account has this title.', { field: 'title' });
  },
  plan: (_facts, proposal) => proposal.content,
  show: ({ account, title }) => [{ label: 'Added', text: `${account}: ${title}` }],
  apply: async (db, { account, title }, { proposal, by, at }) => {
    const { proposalId: accountId, proposedBy } = proposal;
    await insertOwnAccount(db, { accountId, account, title, proposedBy, decidedBy: by, at });
  },
});

async function exists(db: Queryable, account: string): Promise<boolean> {
  const [of, code = ''] = account.split(':');
  const unknown = of === 'bank' ? listUnknownBanks(db, [code]) : listUnknownAccounts(db, [account]);
  return (await unknown).length === 0;
}

const sameTitle = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

export interface AccountRequest {
  readonly account: string;
  readonly title: string;
  /** Why. */
  readonly note: string;
  readonly by: Actor;
}

/** Proposes an account. Throws: `PlainError` if it exists, or its name has no class. */
export async function proposeAccount(
  proposals: Proposals,
  { account, title, note, by }: AccountRequest,
): Promise<ProposalRow> {
  if (!new RegExp(OWN_ACCOUNT).test(account)) {
    const text = `It must be one of ${OWN_CLASSES.join(', ')}, a colon, and a name of a-z, 0-9, - and _; or bank: and a code of a-z, 0-9 and _.`;
    throw new PlainError(text, { field: 'account' });
  }
  return await proposals.propose({ kind: HOUSE_ACCOUNT, content: { account, title }, by, note });
}

/** An account that journals may use under its own name. */
export interface OwnAccount {
  readonly account: string;
  readonly class: OwnClass;
  readonly title: string;
  /** Null: every installation has it. */
  readonly addedAt: Date | null;
  readonly proposedBy: string | null;
  readonly decidedBy: string | null;
}

/** The accounts that journals may use under their own names, sorted by name. */
export async function listOwnAccounts(db: Queryable): Promise<OwnAccount[]> {
  const nobody = { addedAt: null, proposedBy: null, decidedBy: null };
  const standard = Object.entries(STANDARD_ACCOUNTS).map(([account, title]) => ({
    ...{ account, title, ...nobody },
  }));
  return [...standard, ...(await listAdded(db))]
    .map((row) => ({ ...row, class: classOfName(row.account) }))
    .toSorted((one, other) => (one.account < other.account ? -1 : 1));
}

/** What people call the accounts that journals use, by name. */
export async function readTitles(db: Queryable): Promise<ReadonlyMap<string, string>> {
  return new Map((await listOwnAccounts(db)).map(({ account, title }) => [account, title]));
}

const classOfName = (account: string): OwnClass => {
  const [of = ''] = account.split(':');
  return of === 'bank' ? 'asset' : (of as OwnClass);
};

/** Detects an account whose name begins with its class. */
export const isClassed = (account: string): boolean => new RegExp(CLASSED).test(account);
