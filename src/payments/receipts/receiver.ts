import type { VendorDirectory } from '../../parties/directory.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { ReceivedCall } from '../../connectors/source.ts';
import { keepUnread } from '../messages/unread.ts';
import { keepContradictory } from './contradictory.ts';
import { reportedAccount } from './receipt.ts';
import { reportOf, takePayment } from './take-payment.ts';
import { findHolder } from './sources-store.ts';
import type { OpenSource, ReceiptSources } from './sources.ts';
import type { ReceiptDeps } from './take.ts';

export interface ProviderCall extends ReceivedCall {
  readonly sourceCode: string;
}

/** `refused`: not from the provider; nothing was changed. `not_kept`: the provider has to repeat it. */
export type ProviderAnswer =
  | { readonly kind: 'answer'; readonly body: object }
  | { readonly kind: 'refused' | 'not_kept' };

export interface ReceiptReceiver {
  receive(call: ProviderCall): Promise<ProviderAnswer>;
}

/** Answers what providers call. What a call says, and if it is the provider's at all, is read by the source. */
export function createReceiptReceiver(
  deps: ReceiptDeps & {
    readonly sources: ReceiptSources;
    readonly directory: Pick<VendorDirectory, 'vendorById'>;
  },
): ReceiptReceiver {
  const { log } = deps;
  return {
    receive: async ({ sourceCode, ...call }) => {
      const source = deps.sources.source(sourceCode);
      if (source === undefined) return { kind: 'refused' };
      const read = source.provider.read(call);
      switch (read.kind) {
        case 'refused': {
          const { address } = call;
          log.warn(
            { sourceCode, address, reason: read.reason },
            'a report of a receipt was refused',
          );
          return { kind: 'refused' };
        }
        case 'unreadable': {
          const { problem } = read;
          const about = {
            senderKind: 'source',
            sender: sourceCode,
            channel: 'confirmation',
          } as const;
          const message = { ...about, reference: null, problem, body: call.body };
          const isKept = await keepUnread(deps, message);
          return isKept ? { kind: 'answer', body: read.body } : { kind: 'not_kept' };
        }
        case 'acknowledged':
          return { kind: 'answer', body: read.body };
        case 'question':
          return { kind: 'answer', body: read.answer(await isPayable(deps, source, read.account)) };
        case 'payment': {
          const reported = { payment: read.payment, channel: 'confirmation' } as const;
          if (read.isContradictory) {
            await keepContradictory(deps, reportOf(source, reported), call.body);
          } else await takePayment(deps, source, reported);
          return { kind: 'answer', body: read.body };
        }
      }
    },
  };
}

/** The account must belong to a vendor who takes money. */
async function isPayable(
  deps: { readonly pool: Pool; readonly directory: Pick<VendorDirectory, 'vendorById'> },
  { row: { sourceCode } }: OpenSource,
  written: string | null,
): Promise<boolean> {
  const account = reportedAccount(written);
  if (account === null) return false;
  const vendorId = await findHolder(deps.pool, { sourceCode, account });
  const vendor = vendorId === undefined ? undefined : deps.directory.vendorById(vendorId);
  return vendor !== undefined && !vendor.suspended;
}
