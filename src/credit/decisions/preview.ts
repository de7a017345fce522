import { readFilesOfToday } from '../bureaus/registry.ts';
import { PRODUCT_NAMES } from '../facts.ts';
import type { CreditAccount, CreditFile } from '../facts.ts';
import { readCardsInForce } from '../governance/cards.ts';
import { listDisputes } from '../registry/read-disputes.ts';
import type { Dispute } from '../registry/read-disputes.ts';
import type { DocumentType } from '../registry/documents.ts';
import { readMerged, readSurvivors } from '../registry/read-merges.ts';
import { joinSales } from '../registry/sales.ts';
import { readJoinedSubject, readSubject } from '../registry/read-subjects.ts';
import type { Profile } from '../registry/profile.ts';
import type { Vault } from '../registry/vault.ts';
import { scoreFile } from '../scorecards/score.ts';
import type { Scorecards } from '../scorecards/scorecard.ts';
import type { Content } from './content.ts';
import { isDisputed, isInDefault } from '../scorecards/standing.ts';

export type PreviewOptions = Parameters<typeof readFilesOfToday>[0] & { readonly vault: Vault };

/** The figures about a person that a lender would get today. */
export interface Standing {
  readonly accounts: number;
  readonly inDefault: number;
  readonly disputed: number;
  /** The generic score; empty without one. */
  readonly score: string;
  readonly grade: string;
}

/** Enough of a person to compare with another one. */
export interface PersonView {
  readonly crn: string;
  readonly name: string;
  readonly otherNames: readonly string[];
  readonly dateOfBirth: string;
  readonly documents: readonly {
    readonly type: DocumentType;
    /** The last three characters. */
    readonly ending: string;
    /** The other person has the same one. */
    readonly isShared: boolean;
  }[];
  readonly standing: Standing;
}

export interface MergePreview {
  readonly from: PersonView;
  readonly into: PersonView;
  /** Figures of both as one person. */
  readonly together: Standing;
}

/** Two people apart and together; undefined if one is not on file. */
export async function previewMerge(
  options: PreviewOptions,
  { from, into }: { readonly from: bigint; readonly into: bigint },
): Promise<MergePreview | undefined> {
  const { pool, vault } = options;
  // A subject's own rows, also while it is merged into the other one.
  const merged = await readMerged(pool, [from, into]);
  const ofFrom = [from, ...(merged.get(from) ?? [])] as const;
  const ofInto = [into, ...(merged.get(into) ?? []).filter((crn) => crn !== from)] as const;
  const [one, other] = [
    await readJoinedSubject(pool, vault, ofFrom),
    await readJoinedSubject(pool, vault, ofInto),
  ];
  if (one === undefined || other === undefined) return undefined;
  const TOGETHER = 0n;
  const owners = [
    { crn: from, members: ofFrom },
    { crn: into, members: ofInto },
    { crn: TOGETHER, members: [...ofFrom, ...ofInto] },
  ];
  const files = await readFilesOfToday(options, owners, null);
  const { champions } = await readCardsInForce(pool);
  const standing = (crn: bigint): Standing => standingOf(files.get(crn)!, champions);
  return {
    from: personOf(from, { own: one, other }, standing(from)),
    into: personOf(into, { own: other, other: one }, standing(into)),
    together: standing(TOGETHER),
  };
}

/** The people of a case, each as they are answered now. */
export async function viewPeople(
  options: PreviewOptions,
  crns: readonly bigint[],
): Promise<PersonView[]> {
  const { pool, vault } = options;
  const survivors = await readSurvivors(pool, crns);
  const answered = [...new Set(crns.map((crn) => survivors.get(crn) ?? crn))];
  const merged = await readMerged(pool, answered);
  const owners = answered.map((crn) => ({ crn, members: [crn, ...(merged.get(crn) ?? [])] }));
  const files = await readFilesOfToday(options, owners, null);
  const { champions } = await readCardsInForce(pool);
  const profiles = new Map<bigint, Profile>();
  for (const crn of answered) {
    const profile = await readSubject(pool, vault, crn);
    if (profile !== undefined) profiles.set(crn, profile);
  }
  return [...profiles].map(([crn, own]) => {
    const others = [...profiles].filter(([other]) => other !== crn).map(([, each]) => each);
    return personOf(crn, { own, other: others }, standingOf(files.get(crn)!, champions));
  });
}

/** An account, and what lenders learn about its person before and after a decision. */
export interface AccountPreview {
  readonly crn: string;
  readonly account: string;
  readonly lender: string;
  readonly product: string;
  readonly balanceCents: bigint;
  readonly overdueCents: bigint;
  readonly daysInArrears: number;
  readonly before: Standing;
  readonly after: Standing;
}

export interface DisputePreview extends AccountPreview {
  readonly openedAt: Date;
  /** The person's own words. */
  readonly statement: string;
}

/**
 * Previews the end of a dispute; undefined if no answer contains the account. A debt that was sold is
 * shown as its holder's, with the disputes about its former lenders' accounts.
 */
export async function previewDispute(
  options: PreviewOptions,
  { crn, accountId, disputeId }: { crn: bigint; accountId: bigint; disputeId: string },
): Promise<DisputePreview | undefined> {
  const { pool, vault } = options;
  const found = await readAccount(options, crn, accountId);
  if (found === undefined) return undefined;
  const ids = idsOf(found.account);
  const disputes = (await listDisputes(pool, vault, found.answered)).filter((one) =>
    ids.includes(one.accountId),
  );
  const dispute = disputes.find((one) => one.disputeId === disputeId);
  if (dispute === undefined) return undefined;
  const isOther = (one: Dispute): boolean => one.disputeId !== disputeId && one.outcome === null;
  const when = (disputed: boolean): CreditAccount[] =>
    found.file.accounts.map((one) => (one === found.account ? { ...one, disputed } : one));
  return {
    ...found.previewOf({ before: when(true), after: when(disputes.some(isOther)) }),
    openedAt: dispute.openedAt,
    statement: dispute.statement,
  };
}

/** Previews a withdrawal or a sale; undefined if no answer contains the account by itself. */
export async function previewAccount(
  options: PreviewOptions,
  what: Extract<Content, { kind: 'withdrawal' | 'sale' }>,
): Promise<AccountPreview | undefined> {
  const from = BigInt(what.account);
  const found = await readAccount(options, BigInt(what.crn), from);
  if (found === undefined || accountIdOf(found.account) !== from) return undefined;
  const { accounts: before } = found.file;
  if (what.kind === 'withdrawal') {
    return found.previewOf({ before, after: before.filter((one) => one !== found.account) });
  }
  const byId = new Map(before.map((one) => [accountIdOf(one), one]));
  const sale = { from, into: BigInt(what.into), soldOn: new Date(`${what.soldOn}T00:00:00Z`) };
  return found.previewOf({ before, after: joinSales(byId, [sale]) });
}

function accountIdOf({ key }: Pick<CreditAccount, 'key'>): bigint {
  return BigInt(key.slice(key.lastIndexOf(' ') + 1));
}

/** Lists the ids of the account and of the accounts that were sold into it. */
function idsOf({ key, boughtFrom = [] }: CreditAccount): bigint[] {
  return [key, ...boughtFrom].map((one) => accountIdOf({ key: one }));
}

type Accounts = CreditFile['accounts'];

/** An account in the file that lenders see today, under the reference that is answered. */
async function readAccount(options: PreviewOptions, crn: bigint, accountId: bigint) {
  const { pool } = options;
  const answered = (await readSurvivors(pool, [crn])).get(crn) ?? crn;
  const members = [answered, ...((await readMerged(pool, [answered])).get(answered) ?? [])];
  const file = (await readFilesOfToday(options, [{ crn: answered, members }], null)).get(answered);
  if (file === undefined) return undefined;
  const { accounts, guarantees = [] } = file;
  const account = [...accounts, ...guarantees].find((one) => idsOf(one).includes(accountId));
  if (account === undefined) return undefined;
  const { champions } = await readCardsInForce(pool);
  const { balanceCents, overdueCents, daysInArrears } = account.current;
  const previewOf = ({ before, after }: Readonly<Record<'before' | 'after', Accounts>>) => ({
    crn: String(answered),
    account: String(accountIdOf(account)),
    lender: account.lender,
    product: PRODUCT_NAMES[account.product],
    ...{ balanceCents, overdueCents, daysInArrears },
    before: standingOf({ ...file, accounts: before }, champions),
    after: standingOf({ ...file, accounts: after }, champions),
  });
  return { answered, file, account, previewOf };
}

function standingOf(file: CreditFile, champions: Scorecards): Standing {
  const { score, grade } = scoreFile(file, 'generic', champions);
  return {
    accounts: file.accounts.length,
    inDefault: file.accounts.filter((account) => !isDisputed(account) && isInDefault(account))
      .length,
    disputed: file.accounts.filter(isDisputed).length,
    score,
    grade,
  };
}

const SHOWN_CHARACTERS = 3;

function personOf(
  crn: bigint,
  { own, other }: { readonly own: Profile; readonly other: Profile | readonly Profile[] },
  standing: Standing,
): PersonView {
  const others = [other].flat().flatMap(({ documents }) => documents);
  return {
    crn: String(crn),
    name: nameOf(own.name),
    otherNames: own.alsoKnownAs.map(nameOf),
    dateOfBirth: own.dateOfBirth,
    documents: own.documents.map(({ type, number }) => ({
      type,
      ending: number.slice(-SHOWN_CHARACTERS),
      isShared: others.some((one) => one.type === type && one.number === number),
    })),
    standing,
  };
}

function nameOf({ forenames, surname }: Profile['name']): string {
  return [...forenames, surname].join(' ');
}
