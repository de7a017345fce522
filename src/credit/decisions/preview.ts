import { readFilesOfToday } from '../bureaus/registry.ts';
import { PRODUCT_NAMES } from '../facts.ts';
import type { CreditFile } from '../facts.ts';
import { readCardsInForce } from '../governance/cards.ts';
import { listDisputes } from '../registry/disputes-store.ts';
import type { Dispute } from '../registry/disputes-store.ts';
import type { DocumentType } from '../registry/documents.ts';
import { readMerged, readSurvivors } from '../registry/merges-store.ts';
import { readJoinedSubject, readSubject } from '../registry/store.ts';
import type { Profile } from '../registry/profile.ts';
import type { Vault } from '../registry/vault.ts';
import { scoreFile } from '../scorecards/score.ts';
import type { Scorecards } from '../scorecards/scorecard.ts';
import { isDisputed, isInDefault } from '../scorecards/standing.ts';

export type PreviewOptions = Parameters<typeof readFilesOfToday>[0] & { readonly vault: Vault };

/** What a lender would learn about a person today. */
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
  /** Of both as one person. */
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

export interface DisputePreview {
  readonly crn: string;
  readonly account: string;
  readonly lender: string;
  readonly product: string;
  readonly balanceCents: bigint;
  readonly overdueCents: bigint;
  readonly daysInArrears: number;
  readonly openedAt: Date;
  /** The person's own words. */
  readonly statement: string;
  /** While the dispute is open, and when it is closed. */
  readonly before: Standing;
  readonly after: Standing;
}

/** What the end of a dispute changes; undefined if the account is no longer on file. */
export async function previewDispute(
  options: PreviewOptions,
  { crn, accountId, disputeId }: { crn: bigint; accountId: bigint; disputeId: string },
): Promise<DisputePreview | undefined> {
  const { pool, vault } = options;
  const answered = (await readSurvivors(pool, [crn])).get(crn) ?? crn;
  const members = [answered, ...((await readMerged(pool, [answered])).get(answered) ?? [])];
  const file = (await readFilesOfToday(options, [{ crn: answered, members }], null)).get(answered);
  const isIt = ({ key }: { readonly key: string }): boolean => key.endsWith(` ${accountId}`);
  const account = file?.accounts.find(isIt);
  const disputes = (await listDisputes(pool, vault, answered)).filter(
    (one) => one.accountId === accountId,
  );
  const dispute = disputes.find((one) => one.disputeId === disputeId);
  if (file === undefined || account === undefined || dispute === undefined) return undefined;
  const { champions } = await readCardsInForce(pool);
  const isOther = (one: Dispute): boolean => one.disputeId !== disputeId && one.outcome === null;
  const when = (disputed: boolean): Standing => {
    const accounts = file.accounts.map((one) => (isIt(one) ? { ...one, disputed } : one));
    return standingOf({ ...file, accounts }, champions);
  };
  return {
    crn: String(answered),
    account: String(accountId),
    lender: account.lender,
    product: PRODUCT_NAMES[account.product],
    balanceCents: account.current.balanceCents,
    overdueCents: account.current.overdueCents,
    daysInArrears: account.current.daysInArrears,
    openedAt: dispute.openedAt,
    statement: dispute.statement,
    before: when(true),
    after: when(disputes.some(isOther)),
  };
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
