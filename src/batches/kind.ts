import type { Batch, KindName } from './batch.ts';
import type { ChunkRow, KindKey } from './read-batches.ts';

/** A batch that this process works on. */
export interface BatchUnderWay extends KindKey, Batch {
  /** From 1. */
  nextRow: number;
}

/** The next rows of a batch to be decided. */
export interface Chunk<Row> extends KindKey, Batch {
  /** Number of the first row, from 1. */
  readonly firstRow: number;
  readonly rows: readonly Row[];
  readonly references: readonly (string | null)[] | null;
  readonly leaseMs: number;
}

/** A batch whose rows are all decided. */
export interface EndedBatch {
  readonly vendorId: number;
  readonly batchId: string;
  readonly rowCount: number;
  /** Numbers of refused rows by error code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/**
 * What differs between files of payments and files of enquiries.
 * @template Accepted what a result has of an accepted row.
 * @template Prepared what is known of a chunk before it is recorded.
 */
export interface BatchKind<Row, Accepted extends object, Prepared> {
  readonly name: KindName;
  /** The parameter that has the vendor's reference of the file. */
  readonly referenceField: string;
  readonly limits: {
    /** Rows that one commit decides. */
    readonly chunkRows: number;
    /** Undecided batches of one vendor. */
    readonly open: number;
    /** Batches that one process works on at once. */
    readonly underWay: number;
  };
  /** The stored rows are erased with the last one. */
  readonly isErased: boolean;
  newBatchId(): string;
  /** Throws: a Refusal if no batch can be accepted. */
  requireReady?(): void;
  encode(rows: readonly Row[], batchId: string): Buffer;
  /** The reverse of `encode`. Rows may be decoded as they are asked for. */
  decode(content: Buffer, batchId: string): Iterable<Row>;
  referenceOf(row: Row): string | null;
  /** Does what needs no commit. The next chunk is prepared while one is recorded. */
  prepare(chunk: Chunk<Row>): Promise<Prepared>;
  /**
   * Records the rows and advances the batch (`insertChunk`) in one commit. Throws `NotNext`, having recorded
   * nothing, if the chunk is not the next one or has to wait.
   */
  record(prepared: Prepared): Promise<void>;
  /** The cells that the result file shows for each accepted row of a chunk. */
  acceptedOf(
    batch: Batch,
    chunk: ChunkRow,
  ): Promise<(row: number, reference: string | null) => Accepted>;
  /** Called once for each batch, when its last row has been decided. */
  onEnded?(batch: EndedBatch): void;
}
