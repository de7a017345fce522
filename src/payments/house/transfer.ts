import { timeText } from '../../platform/base/proposal.ts';
import type { HouseAccount } from './account.ts';

/** The cause of a transfer: see `house_transfers`. */
export type TransferSource =
  | 'top_up'
  | 'charges'
  | 'opening'
  | 'entry'
  | 'journal'
  | 'receipt'
  | 'reversal';

/** One movement between two accounts of the house. */
export interface HouseTransfer {
  readonly source: TransferSource;
  /** Together with `source` and `part` it makes the transfer unique. */
  readonly sourceId: string;
  /**
   * A journal is several transfers. An opening that people entered has a second one, for what payments had
   * consumed by then. A receipt that is closed has a second and a third one. Of any other source it is 1.
   */
  readonly part: number;
  readonly debitAccount: HouseAccount;
  readonly creditAccount: HouseAccount;
  readonly amountCents: bigint;
  /** When the money moved. */
  readonly movedAt: Date;
  /** Who proposed and who approved it; null: a statement. */
  readonly proposedBy: string | null;
  readonly approvedBy: string | null;
  /** Texts that they wrote: reference, note, and evidence of a journal; null: the source is a statement. */
  readonly texts: readonly string[] | null;
}

/** A transfer as stored. */
export interface PostedTransfer extends HouseTransfer {
  readonly transferId: string;
  readonly postedAt: Date;
}

/** The text that a transfer's authentication code covers. */
export function houseTransferText(transfer: PostedTransfer): string {
  return JSON.stringify([
    'house_transfers',
    transfer.transferId,
    transfer.source,
    transfer.sourceId,
    transfer.part,
    transfer.debitAccount,
    transfer.creditAccount,
    String(transfer.amountCents),
    timeText(transfer.movedAt),
    timeText(transfer.postedAt),
    transfer.proposedBy,
    transfer.approvedBy,
    transfer.texts,
  ]);
}
