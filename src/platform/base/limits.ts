/** Every limit has a name and a unit. Those an operator of the service may want to turn are in config. */
export const LIMITS = {
  /** Largest request body of a vendor operation. */
  bodyBytes: 16 * 1024,
  /** Most parameters in one request. */
  fieldCount: 64,
  /** Longest value of one parameter, in UTF-16 code units. */
  valueLength: 1024,
  /** Longest query string. */
  queryBytes: 8 * 1024,
  /** Requests that have arrived at one process and are not answered, before new ones are refused as `overloaded`. */
  requestsUnderWay: 10_000,
  /** Requests whose body is still to come; the oldest makes room for a further one. */
  unfinishedRequests: 5_000,
  /** Requests that one connection may send ahead of their answers before it is closed. */
  unansweredPerConnection: 16,
  /** Requests for health or metrics that are not answered; the oldest makes room for a further one. */
  watchersWaiting: 64,
  /** Connections of clients to one process; further ones are closed at once. */
  connections: 20_000,
  /** Requests waiting for a connection of one pool before new ones are refused as `overloaded`. */
  poolQueue: 512,
  /**
   * Most creates one lane commits at once for requests over HTTP. With more, all that are under way
   * end up in one batch, and the database and whoever writes the answers wait for each other in turns.
   */
  createBatchRows: 128,
  /** Most rows one lane commits at once otherwise (facts: past 512 latency grows, throughput does not). */
  laneBatchRows: 512,
  /** Creates waiting in one lane before new ones are refused as `overloaded`. */
  laneQueueRows: 8192,
  /** Most balances or statuses that one query reads. */
  readBatchRows: 512,
  /** Reads waiting for their query before new ones are refused as `overloaded`. */
  readQueueRows: 8192,
  /** Largest file of a bulk create. */
  bulkFileBytes: 2 * 1024 * 1024,
  /** Most rows in it; fits the four hexadecimal digits of a row's transaction id. */
  bulkRows: 5_000,
  /** Bulk rows one commit decides: as long as a single create of the same lane may have to wait. */
  bulkChunkRows: 500,
  /**
   * Files that one process takes at once from vendors before further ones are refused as `overloaded`,
   * and files at once that are still on their way, of which the oldest makes room.
   */
  bulkUploadsAtOnce: 8,
  /** The same of one vendor. */
  bulkUploadsPerVendor: 4,
  /** Files at once whose sender is known only when they have arrived; the oldest makes room. */
  bulkUnprovenUploads: 8,
  /** The same of one address. */
  bulkUnprovenUploadsPerAddress: 2,
  /** Batches that one process works on at once; further ones wait in the database. */
  bulkBatchesUnderWay: 32,
  /** Undecided batches of one vendor before further ones are refused as `overloaded`. */
  bulkOpenBatches: 20,
  /** Most enquiries one lane commits at once. */
  enquiryBatchRows: 64,
  /** Enquiries waiting in one lane before new ones are refused as `overloaded`. */
  enquiryQueueRows: 2048,
  /** Largest answer read from an upstream bureau. */
  bureauAnswerBytes: 1024 * 1024,
  /** Largest answer read from an operator. */
  operatorAnswerBytes: 64 * 1024,
  /** Largest callback body read from an operator. */
  callbackBodyBytes: 64 * 1024,
  /** Largest answer read from a vendor's webhook. */
  webhookAnswerBytes: 64 * 1024,
  /** Calls of webhooks that one process makes at once. */
  webhookCalls: 128,
  /** The same of one vendor, so that its slow receiver holds nobody else up. */
  webhookCallsPerVendor: 4,
  /** How long events are kept once they were delivered or given up, and at most. */
  eventRetentionDays: 30,
  /** How far the time of a v2 signature may be from the server's clock, either way. */
  signatureWindowSeconds: 300,
  /** How long a nonce is kept beyond that, for clocks of our own processes that differ. */
  nonceMarginSeconds: 60,
  /** Signers and addresses whose rate one process remembers; past it the least recent is forgotten. */
  limitedNames: 20_000,
  /** Most nonces written at once. */
  nonceBatchRows: 512,
  /** Requests waiting for their nonce to be written before new ones are refused as `overloaded`. */
  nonceQueueRows: 8192,
  /** Most lines of an operator's statement. */
  statementLines: 500_000,
  /** Largest file of an operator's statement. */
  statementFileBytes: 256 * 1024 * 1024,
  /** Problems of a statement that are found before reading ends. */
  statementProblems: 1_000,
  /** Payments in one file of the archive, moved in one commit. */
  archiveFileRows: 5_000,
  /** A payment younger than this is not archived: so long its `merchant_reference` makes it once. */
  archiveLeastAgeDays: 90,
  /** Window in which an equal create is a likely duplicate. */
  duplicateWindowSeconds: 30,
} as const;
