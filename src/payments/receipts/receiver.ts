import type { VendorDirectory } from '../../parties/directory.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { keepContradictory } from './contradictory.ts';
import { readC2bPayment } from './daraja/payment.ts';
import type { C2bPayment, C2bReport } from './daraja/payment.ts';
import { CONFIRMATION, VALIDATION } from './daraja/source.ts';
import type { DarajaSource } from './daraja/source.ts';
import { reportOf, takePayment } from './take-payment.ts';
import { findHolder } from './sources-store.ts';
import type { OpenSource, ReceiptSources } from './sources.ts';
import type { ReceiptDeps } from './take.ts';

export interface ProviderCall {
  readonly sourceCode: string;
  /** Behind the source's code. */
  readonly path: string;
  /** The caller's address, as the trusted proxies report it. */
  readonly address: string;
  readonly body: Buffer;
}

/** `refused`: not from the provider, or not readable; nothing was changed. */
export type ProviderAnswer =
  | { readonly kind: 'answer'; readonly body: object }
  | { readonly kind: 'refused' | 'unreadable' };

export interface ReceiptReceiver {
  receive(call: ProviderCall): Promise<ProviderAnswer>;
}

const ACCEPTED = { ResultCode: '0', ResultDesc: 'Accepted' };

/**
 * Answers what providers call. They do not sign: a call counts only from an address of the
 * provider, on a URL that nobody can guess.
 */
export function createReceiptReceiver(
  deps: ReceiptDeps & {
    readonly sources: ReceiptSources;
    readonly directory: Pick<VendorDirectory, 'vendorById'>;
  },
): ReceiptReceiver {
  const { log } = deps;
  return {
    receive: async ({ sourceCode, path, address, body }) => {
      const source = deps.sources.source(sourceCode);
      if (source === undefined) return { kind: 'refused' };
      const { daraja } = source;
      const about = daraja.paths.read(path);
      if (about === undefined || !daraja.isAllowed(address)) {
        const reason = about === undefined ? 'the URL is not ours' : 'the address is not allowed';
        log.warn({ sourceCode, address, reason }, 'a report of a receipt was refused');
        return { kind: 'refused' };
      }
      if (about.kind !== CONFIRMATION && about.kind !== VALIDATION) {
        return { kind: 'answer', body: ACCEPTED };
      }
      const payment = readC2bPayment(body, daraja.shortCode);
      if (payment === undefined) {
        log.error({ sourceCode }, 'a report of a receipt cannot be read');
        return { kind: 'unreadable' };
      }
      if (about.kind === VALIDATION) {
        const isVendor = await isPayable(deps, source, payment);
        return { kind: 'answer', body: validated(payment, daraja, isVendor) };
      }
      if (!payment.isOurs) {
        log.error({ sourceCode }, 'a report of a receipt is about another short code');
        return { kind: 'refused' };
      }
      const channel = 'confirmation';
      if (payment.isContradictory) {
        await keepContradictory(deps, reportOf(source, { payment, channel }), body);
      } else await takePayment(deps, source, { payment, channel });
      return { kind: 'answer', body: ACCEPTED };
    },
  };
}

/** The account must belong to a vendor who takes money. */
async function isPayable(
  deps: { readonly pool: Pool; readonly directory: Pick<VendorDirectory, 'vendorById'> },
  { row: { sourceCode } }: OpenSource,
  { account }: Pick<C2bPayment, 'account'>,
): Promise<boolean> {
  if (account === null) return false;
  const vendorId = await findHolder(deps.pool, { sourceCode, account });
  const vendor = vendorId === undefined ? undefined : deps.directory.vendorById(vendorId);
  return vendor !== undefined && !vendor.suspended;
}

/** Answer to the question whether to accept the customer's payment. */
export function validated(
  payment: Pick<C2bReport, 'amountCents' | 'isOurs' | 'isContradictory'>,
  limits: Pick<DarajaSource, 'minimumCents' | 'maximumCents'>,
  isVendor: boolean,
): object {
  const { amountCents, isOurs, isContradictory } = payment;
  if (isContradictory) return refusal('C2B00016');
  if (!isOurs) return refusal('C2B00015');
  if (!isVendor) return refusal('C2B00012');
  const { minimumCents, maximumCents } = limits;
  const isTooSmall = minimumCents !== null && amountCents < minimumCents;
  const isTooLarge = maximumCents !== null && amountCents > maximumCents;
  return isTooSmall || isTooLarge ? refusal('C2B00013') : ACCEPTED;
}

function refusal(code: string): object {
  return { ResultCode: code, ResultDesc: 'Rejected' };
}
