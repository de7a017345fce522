import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Pool } from '../platform/db/pool.ts';
import type { OpenedKey } from './keys.ts';
import { openKeys } from './keys.ts';
import { listVendors } from './read-vendors.ts';
import { listCollectors, scopeOf } from './read-collectors.ts';
import type { VendorRow } from './read-vendors.ts';
import type { CollectorRow } from './read-collectors.ts';
import type { Collector, Vendor } from './vendor.ts';

/** All vendors and collectors with their keys, in memory. A flood of unknown names costs no query. */
export interface VendorDirectory {
  vendor(vid: string): Vendor | undefined;
  vendorById(vendorId: number): Vendor | undefined;
  /** The bucket of a vendor's rows; of a vendor added since the last reload, -1. */
  readonly bucketOf: (vendorId: number) => number;
  collector(name: string): Collector | undefined;
  /** Reloads everything; the settings watch calls it when something changed. */
  readonly reload: () => Promise<void>;
}

interface KeyInMemory {
  readonly key: KeyObject;
  readonly validUntilMs: number;
}

export function createVendorDirectory(pool: Pool, masterKeys: MasterKeys): VendorDirectory {
  let vendors = new Map<string, Vendor>();
  let vendorsById = new Map<number, Vendor>();
  let buckets = new Map<number, number>();
  let collectors = new Map<string, Collector>();
  let reloadsBegun = 0;
  let shown = 0;
  return {
    vendor: (vid) => vendors.get(vid),
    vendorById: (vendorId) => vendorsById.get(vendorId),
    bucketOf: (vendorId) => buckets.get(vendorId) ?? -1,
    collector: (name) => collectors.get(name),
    reload: async () => {
      reloadsBegun += 1;
      const ours = reloadsBegun;
      const [vendorRows, collectorRows, keyRows] = await Promise.all([
        listVendors(pool),
        listCollectors(pool),
        openKeys(pool, ['vendor', 'collector'], masterKeys),
      ]);
      // A reload that began later has newer data.
      if (ours < shown) return;
      shown = ours;
      const keys = keysByHolder(keyRows);
      vendors = new Map(vendorRows.map((row) => [row.vid, vendorOf(row, keys)]));
      buckets = new Map(vendorRows.map(({ vendorId, bucket }) => [vendorId, bucket]));
      vendorsById = new Map([...vendors.values()].map((vendor) => [vendor.vendorId, vendor]));
      collectors = new Map(collectorRows.map((row) => [row.collector, collectorOf(row, keys)]));
    },
  };
}

/**
 * With a getter of its own, each signer would be an object of another shape, and V8 would have to search
 * each one for its members.
 */
class KeyHolder {
  readonly #keys: readonly KeyInMemory[];
  /** If none of them expires. */
  readonly #always: readonly KeyObject[] | undefined;

  constructor(keys: readonly KeyInMemory[] = []) {
    this.#keys = keys;
    const expires = keys.some(({ validUntilMs }) => Number.isFinite(validUntilMs));
    this.#always = expires ? undefined : keys.map(({ key }) => key);
  }

  get keys(): readonly KeyObject[] {
    return this.#always ?? validKeys(this.#keys);
  }
}

function vendorOf(row: VendorRow, keys: KeysByHolder): Vendor {
  return Object.assign(new KeyHolder(keys.get(`vendor ${row.vid}`)), {
    vendorId: row.vendorId,
    vid: row.vid,
    name: row.name,
    sector: row.sector,
    suspended: row.status === 'suspended',
    signature: row.signature,
    duplicateCheck: row.duplicateCheck,
    duplicateWindowSeconds: row.duplicateWindowSeconds,
    referenceRequired: row.referenceRequired,
    enquiryPolicy: row.enquiryPolicy,
    statusText: row.statusText,
  });
}

function collectorOf(row: CollectorRow, keys: KeysByHolder): Collector {
  return Object.assign(new KeyHolder(keys.get(`collector ${row.collector}`)), {
    collector: row.collector,
    name: row.name,
    suspended: row.status === 'suspended',
    signature: row.signature,
    scope: scopeOf(row),
  });
}

/** The ids of keys in memory. */
const KEY_IDS = new WeakMap<KeyObject, string>();

/** The id of a key that a signer in the directory has. */
export function keyIdOf(key: KeyObject): string | undefined {
  return KEY_IDS.get(key);
}

/** By `kind name`, such as `vendor shop-1`. */
type KeysByHolder = ReadonlyMap<string, readonly KeyInMemory[]>;

function keysByHolder(rows: readonly OpenedKey[]): KeysByHolder {
  const keys = new Map<string, KeyInMemory[]>();
  for (const row of rows) {
    const holder = `${row.holderKind} ${row.holder}`;
    const secret = createSecretKey(row.secret, 'utf8');
    KEY_IDS.set(secret, row.keyId);
    const key = {
      key: secret,
      validUntilMs: row.validUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    };
    keys.set(holder, [...(keys.get(holder) ?? []), key]);
  }
  return keys;
}

// A retired key expires by time, without a reload.
function validKeys(keys: readonly KeyInMemory[]): readonly KeyObject[] {
  const now = Date.now();
  const valid: KeyObject[] = [];
  for (const { key, validUntilMs } of keys) if (validUntilMs > now) valid.push(key);
  return valid;
}
