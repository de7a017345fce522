/** One receiver of a request. */
export interface Destination {
  readonly type: string;
  /** The number that names the receiver. */
  readonly account: string;
  readonly amount: number;
  /** As it came, for the answer. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** The shape of an answer: v1 has `payments`, v2 `send_money`. */
export type Version = 'v1' | 'v2';

export interface Disbursement {
  readonly destination: number;
  readonly amount: number;
  readonly status: 'Transferred' | 'Failed';
  readonly atMs: number;
}

/** A request as the provider keeps it. */
export interface Resource {
  readonly id: string;
  readonly version: Version;
  readonly destinations: readonly Destination[];
  readonly source: unknown;
  readonly metadata: unknown;
  readonly callbackUrl: string;
  readonly self: string;
  readonly createdAtMs: number;
  status: 'Scheduled' | 'Processed';
  /** Each part of a batch was transferred, or failed. */
  batches: readonly (readonly Disbursement[])[];
}

const TYPES: Readonly<Record<string, string>> = {
  mobile_wallet: 'Mobile Wallet',
  bank_account: 'Bank Account',
  till: 'Till',
  paybill: 'Paybill',
};

/** The body of the answer to GET, and of the callback. */
export function shown(resource: Resource) {
  const { id, version, status, metadata, callbackUrl, self } = resource;
  const links = { callback_url: callbackUrl, self };
  const common = { status, created_at: eastAfrican(resource.createdAtMs) };
  const amount = resource.destinations.reduce((sum, one) => sum + one.amount, 0);
  return {
    data: {
      id,
      type: version === 'v1' ? 'payment' : 'send_money',
      attributes:
        version === 'v1'
          ? {
              ...common,
              amount: { currency: 'KES', value: amount },
              transfer_batches: batchesOf(resource),
              metadata,
              _links: links,
            }
          : {
              ...common,
              source_identifier: resource.source,
              destinations: resource.destinations.map(({ given }) => given),
              currency: 'KES',
              transfer_batches: batchesOf(resource),
              errors: null,
              metadata,
              _links: links,
            },
    },
  };
}

function batchesOf(resource: Resource) {
  if (resource.batches.length === 0) return null;
  return resource.batches.map((disbursements) => ({
    status: 'Transferred',
    ...(resource.version === 'v2' && { amount: sumOf(disbursements) }),
    disbursements: disbursements.map((one, place) => shownDisbursement(resource, one, place)),
  }));
}

function shownDisbursement(
  { id, version, destinations }: Resource,
  one: Disbursement,
  place: number,
) {
  const destination = destinations[one.destination];
  const isPaid = one.status === 'Transferred';
  const named = destination?.type ?? '';
  return {
    amount: one.amount.toFixed(1),
    status: one.status,
    // The first version has no field for errors.
    ...(version === 'v2' && { errors: isPaid ? null : ['Invalid recipient'] }),
    destination_type: version === 'v1' ? (TYPES[named] ?? named) : named,
    origination_time: eastAfrican(one.atMs),
    destination_reference: id.replace(/^........./, `0000000${place}-`),
    transaction_reference: isPaid ? `UA5${id.slice(-7).toUpperCase()}` : null,
  };
}

const sumOf = (disbursements: readonly Disbursement[]): string =>
  disbursements.reduce((sum, { amount }) => sum + amount, 0).toFixed(1);

function eastAfrican(atMs: number): string {
  return new Date(atMs + 3 * 3_600_000).toISOString().replace('Z', '+03:00');
}
