import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { newSharedSecret } from '../../parties/keys.ts';
import { readVids } from '../../parties/read-vendors.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Line } from '../../proposals/kind.ts';
import { setOperator } from '../billers/administer.ts';
import type { OperatorChange } from '../billers/administer.ts';
import { setOperatorKey } from '../billers/administer-operator-key.ts';
import type { Secret } from '../../connectors/operator.ts';
import type { Operator } from '../billers/biller.ts';
import { operatorOf } from '../billers/catalogue.ts';
import { listFormerVersionsOf } from '../billers/operator-versions-store.ts';
import { findOperator } from '../billers/store.ts';
import { checkOperator, secretFormOf } from '../../connectors/registry.ts';
import { countInstructionsOf } from '../dispatch/queue-totals-store.ts';
import { code, present, settingsJson, settingsOf, settingsText } from './fields.ts';
import { keyFields, openSecret, requireMasterKeys, sealedSecret } from './sealed.ts';
import { setting } from './setting.ts';
import type { Fields } from './setting.ts';

const key = strict({ operatorCode: code });
const sameAccount = Type.Boolean();

const operatorChange = strict({
  name: Type.Optional(filledText(200)),
  connector: Type.Optional(filledText(64)),
  baseUrl: Type.Optional(filledText(2_000)),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** Names of settings. */
  removed: Type.Array(filledText(64)),
  maxConcurrency: Type.Optional(Type.Integer()),
  /** Null: no limit. */
  maxPerSecond: Type.Optional(orNull(Type.Integer())),
  sameAccount,
});

/** Where an operator is reached, and how. */
export const OPERATOR = setting({
  ...{ name: 'operator', label: 'Operator', topic: 'billers', key },
  change: operatorChange,
  target: ({ operatorCode }) => operatorCode,
  says: (change) => sameAccountLine(change.sameAccount),
  read: async (db, { operatorCode }) => {
    const row = await findOperator(db, operatorCode);
    if (row === undefined) return null;
    return {
      Name: row.name,
      Connector: row.connector,
      Address: row.baseUrl,
      'Calls at once': String(row.maxConcurrency),
      'Instructions per second': row.maxPerSecond === null ? 'no limit' : String(row.maxPerSecond),
      ...settingsText(row.settings),
      ...(await accountsOf(db, operatorCode)),
    };
  },
  apply: async (db, { key: { operatorCode }, change }) =>
    await setOperator(db, operatorCode, changeOf(change), async (merged) => {
      const example = secretFormOf(merged.connector)?.exampleSecret ?? '';
      await requireUsable({ ...merged, secrets: [asSecret(example)] });
    }),
  remarks: async (db, { operatorCode }, change) =>
    await openPayments(db, operatorCode, change.sameAccount),
});

/** The secret shared with an operator. */
export const OPERATOR_KEY = setting({
  ...{ name: 'operator_key', label: 'Key of an operator', topic: 'billers', key },
  change: strict({
    secret: sealedSecret,
    overlapSeconds: Type.Integer({ minimum: 0 }),
    sameAccount,
  }),
  target: ({ operatorCode }) => operatorCode,
  read: async (db, { operatorCode }, tools) => {
    const current = await keyFields(db, { holderKind: 'operator', holder: operatorCode }, tools);
    return current && { ...current, ...(await accountsOf(db, operatorCode)) };
  },
  says: ({ overlapSeconds, sameAccount: isSame }) => [
    { label: 'Seconds for which the replaced one stays valid', text: String(overlapSeconds) },
    ...sameAccountLine(isSame),
  ],
  apply: async (db, { key: { operatorCode }, change }, tools) => {
    const secret = openSecret(change.secret, sealedFor(operatorCode), tools);
    await requireUsableWith(db, operatorCode, secret);
    const sealing = { masterKeys: requireMasterKeys(tools), certain: true };
    const { overlapSeconds, sameAccount: isSame } = change;
    await setOperatorKey(db, operatorCode, {
      ...{ secret, sealing, overlapSeconds, sameAccount: isSame },
    });
  },
  remarks: async (db, { operatorCode }, change) =>
    await openPayments(db, operatorCode, change.sameAccount),
});

/** With it, what the new account does not know counts as not paid. */
const sameAccountLine = (isSame: boolean): Line[] =>
  isSame ? [{ label: 'Reaches the same merchant account', text: 'yes' }] : [];

/** Location that `sealSecret` binds an operator's secret to. */
export const sealedFor = (operatorCode: string): string => `operator ${operatorCode}`;

function changeOf(change: Static<typeof operatorChange>): OperatorChange {
  const { removed: _, ...rest } = change;
  return { ...rest, settings: settingsOf(change) };
}

/** As the content of a proposal. */
export function operatorChangeJson({
  settings,
  sameAccount: isSame = false,
  ...rest
}: OperatorChange) {
  return { ...present(rest), ...settingsJson(settings), sameAccount: isSame };
}

/** Throws: `PlainError` if the operator could not be used with this secret. */
export async function requireUsableWith(
  db: Queryable,
  operatorCode: string,
  secret: string,
): Promise<void> {
  const row = await findOperator(db, operatorCode);
  if (row === undefined) throw new PlainError(`Operator ${operatorCode} does not exist.`);
  await requireUsable({ ...operatorOf(row), secrets: [asSecret(secret)] });
}

/** The secret that a person gives, or a new one where the protocol invents it. Throws: `PlainError` (field `key`). */
export async function secretToSet(
  db: Queryable,
  { operatorCode, connector }: { readonly operatorCode: string; readonly connector: string },
  given: string | undefined,
): Promise<string> {
  const form = secretFormOf(connector);
  if (given === undefined && form?.inventsSecret === false) {
    throw new PlainError(
      `The secret of ${operatorCode} comes from the operator: give it in the form ${form.exampleSecret}`,
      { field: 'key' },
    );
  }
  const secret = given ?? newSharedSecret();
  await requireUsableWith(db, operatorCode, secret);
  return secret;
}

/** Throws: `PlainError` if the operator could not be used with these settings. */
async function requireUsable(operator: Operator): Promise<void> {
  try {
    await checkOperator(operator);
  } catch (error) {
    throw new PlainError((error as Error).message, { cause: error });
  }
}

function asSecret(secret: string): Secret {
  return { secret, validUntil: null };
}

/** Which merchant account its instructions go to from now on. */
async function accountsOf(db: Queryable, operatorCode: string): Promise<Fields> {
  const former = await listFormerVersionsOf(db, operatorCode);
  const others = former.filter((one) => !one.sameAccount).length;
  return { 'Former merchant accounts': String(others) };
}

/** Whose payments have no result yet, and who is asked about them after the change. */
async function openPayments(
  db: Queryable,
  operatorCode: string,
  isSame: boolean,
): Promise<readonly Line[]> {
  const counts = await countInstructionsOf(db, operatorCode);
  if (counts.length === 0) return [];
  const vids = await readVids(db);
  const each = counts.map(({ vendorId, count }) => `${vids.get(vendorId) ?? vendorId}: ${count}`);
  const asked = isSame ? 'the new settings, at the same merchant account' : 'where they were sent';
  return [
    { label: 'Payments without a result', text: each.join(', ') },
    { label: 'They are asked about', text: asked },
  ];
}
