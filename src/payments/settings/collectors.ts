import { filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import { addCollector, changeCollector, rotateKey } from '../../parties/administer.ts';
import { findCollector } from '../../parties/read-collectors.ts';
import { SIGNATURE_VERSIONS } from '../../parties/vendor.ts';
import { keyFields, openSecret, requireMasterKeys, sealedSecret } from './sealed.ts';
import { setting } from './setting.ts';

const key = strict({ collector: filledText(64) });

/** Whose income a collector may report, and that there is one. */
export const COLLECTOR = setting({
  ...{ name: 'collector', label: 'Collector', topic: 'vendors', key },
  change: strict({
    /** The name and the key of a new collector. Absent: the collector exists. */
    added: Type.Optional(strict({ name: filledText(200), secret: sealedSecret })),
    scope: Type.Optional(Type.Union([Type.Literal('all'), Type.Array(filledText(64))])),
    signature: Type.Optional(Type.Enum([...SIGNATURE_VERSIONS])),
  }),
  target: ({ collector }) => collector,
  read: async (db, { collector }) => {
    const row = await findCollector(db, collector);
    if (row === undefined) return null;
    return {
      Name: row.name,
      'May collect for': row.allVendors ? 'every vendor' : row.vids.toSorted().join(', '),
      Signature: row.signature,
    };
  },
  apply: async (db, { key: { collector }, change: { added, ...change } }, tools) => {
    if (added === undefined) return await changeCollector(db, collector, change);
    const { name, secret } = added;
    const made = { collector, name, scope: change.scope ?? [] };
    return await addCollector(db, made, {
      ...{ masterKeys: requireMasterKeys(tools), certain: true },
      secret: openSecret(secret, collectorSealed(collector), tools),
    });
  },
});

/** The key that a collector signs reports of income with. */
export const COLLECTOR_KEY = setting({
  ...{ name: 'collector_key', label: 'Key of a collector', topic: 'vendors', key },
  change: strict({ secret: sealedSecret, overlapSeconds: Type.Integer({ minimum: 0 }) }),
  target: ({ collector }) => collector,
  says: ({ overlapSeconds }) => [
    { label: 'Seconds for which the replaced one stays valid', text: String(overlapSeconds) },
  ],
  read: async (db, { collector }, tools) =>
    await keyFields(db, { holderKind: 'collector', holder: collector }, tools),
  apply: async (db, { key: { collector }, change: { secret, overlapSeconds } }, tools) => {
    const signer = { holderKind: 'collector', holder: collector } as const;
    return await rotateKey(db, signer, {
      ...{ masterKeys: requireMasterKeys(tools), certain: true, overlapSeconds },
      secret: openSecret(secret, collectorSealed(collector), tools),
    });
  },
});

/** Location that `sealSecret` binds a collector's secret to. */
export const collectorSealed = (collector: string): string => `collector ${collector}`;
