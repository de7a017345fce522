import type { FormerVersion, Operator, VersionedOperator } from './biller.ts';

/**
 * Which merchant account an instruction went to. Each change of an operator's connector, address,
 * settings or key makes a new version of it, and an attempt keeps the version that it was sent to. Only
 * the same merchant account can prove that the attempt was not executed: another one truthfully does
 * not know it. Pure.
 */

/**
 * Settings that never change who is asked. An attempt keeps the longest of the times that applied to it
 * (`dispatch/witness.ts`).
 */
const TIMES: ReadonlySet<string> = new Set([
  'pay_timeout_ms',
  'status_timeout_ms',
  'connect_timeout_ms',
  'acceptance_window_ms',
  'case_after_ms',
]);

type Versioned = Pick<Operator, 'connector' | 'baseUrl' | 'settings'>;

/** `times`: only when something happens has changed, not where instructions go. */
export type OperatorDifference = 'none' | 'times' | 'place';

export function differenceOf(before: Versioned, after: Versioned): OperatorDifference {
  if (before.connector !== after.connector || before.baseUrl !== after.baseUrl) return 'place';
  const names = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  const changed = [...names].filter(
    (name) => JSON.stringify(before.settings[name]) !== JSON.stringify(after.settings[name]),
  );
  if (changed.length === 0) return 'none';
  return changed.every((name) => TIMES.has(name)) ? 'times' : 'place';
}

type Versions = Pick<VersionedOperator, 'version'> & {
  readonly former: readonly Pick<FormerVersion, 'version' | 'sameAccount' | 'replacedAt'>[];
};

/**
 * The version whose connector is asked about attempts of the given one: the last that reaches the same
 * merchant account.
 * @param version null: not known, which only one account makes certain.
 * @returns null if it is not known.
 */
export function askedAs(operator: Versions, version: number | null): number | null {
  if (version === null) return operator.former.every(isSame) ? operator.version : null;
  if (version > operator.version) return null;
  const end = operator.former.find((one) => one.version >= version && !one.sameAccount);
  return end?.version ?? operator.version;
}

function isSame({ sameAccount }: { readonly sameAccount: boolean }): boolean {
  return sameAccount;
}

/** Who has the keys of a former version, in `security_keys`. */
export function holderOf(operatorCode: string, version: number): string {
  return `${operatorCode}@${version}`;
}
