/**
 * Every limit has a name and a unit. Limits that an administrator may want to change are in the
 * configuration.
 */
export const LIMITS = {
  /** Largest request body of a vendor operation. */
  bodyBytes: 16 * 1024,
  /** Up to this length, a body that is too large is still read, so that its sender gets the response. */
  discardedBodyBytes: 16 * 1024 * 1024,
  /** Most parameters in one request. */
  fieldCount: 64,
  /** Longest value of one parameter, in UTF-16 code units. */
  valueLength: 1024,
  /** Longest query string. */
  queryBytes: 8 * 1024,
  /**
   * Requests that one process has received and not answered, before new ones are refused as
   * `overloaded`.
   */
  requestsUnderWay: 10_000,
  /** Requests whose body has not arrived; at the limit, a new one replaces the oldest. */
  unfinishedRequests: 5_000,
  /** Requests that one connection may send ahead of their answers before it is closed. */
  unansweredPerConnection: 16,
  /** Unanswered requests for health or metrics; at the limit, a new one replaces the oldest. */
  watchersWaiting: 64,
  /** Client connections to one process; further ones are closed at once. */
  connections: 20_000,
  /**
   * Reads that may take long and wait for their turn, of one vendor or member of staff, before new
   * ones are refused as `too_many_requests`.
   */
  longReadsWaiting: 16,
  /** Requests waiting for a connection of one pool, before new ones are refused as `overloaded`. */
  poolQueue: 512,
  /**
   * Maximum number of creates in one commit for HTTP requests. With a larger batch, all pending creates of
   * a busy vendor end up in it, and the database and the code that writes the answers take turns waiting
   * for each other.
   */
  createBatchRows: 128,
  /**
   * Maximum number of rows in one commit of a lane otherwise (measured: past 512 latency
   * grows, throughput does not).
   */
  laneBatchRows: 512,
  /** Creates waiting in one lane, before new ones are refused as `overloaded`. */
  laneQueueRows: 8192,
  /** Maximum number of balances or statuses that one query reads. */
  readBatchRows: 512,
  /** Reads waiting for their query, before new ones are refused as `overloaded`. */
  readQueueRows: 8192,
  /** Largest bulk file. */
  bulkFileBytes: 2 * 1024 * 1024,
  /** Most rows in a bulk file; fits the four hexadecimal digits of a row in its payment's id. */
  bulkRows: 5_000,
  /**
   * Bulk rows that one commit decides. A single create of the same vendor may have to wait that long.
   */
  bulkChunkRows: 500,
  /**
   * Files that one process receives from vendors at once, before further ones are refused as
   * `overloaded`. Also the number of files still arriving; at the limit, a new one replaces the
   * oldest.
   */
  bulkUploadsAtOnce: 8,
  /** Files that one process receives at once from one vendor. */
  bulkUploadsPerVendor: 4,
  /**
   * Files at once whose sender is known only when they have arrived; a new one replaces the oldest.
   */
  bulkUnprovenUploads: 8,
  /** Files of unproven senders that one process receives at once from one address. */
  bulkUnprovenUploadsPerAddress: 2,
  /** Batches that one process works on at once; further ones wait in the database. */
  bulkBatchesUnderWay: 32,
  /** Undecided batches of one vendor before further ones are refused as `overloaded`. */
  bulkOpenBatches: 20,
  /** Maximum number of enquiries that one lane commits at once. */
  enquiryBatchRows: 64,
  /** Enquiries waiting in one lane, before new ones are refused as `overloaded`. */
  enquiryQueueRows: 2048,
  /** Largest file of a batch of enquiries. */
  scoreFileBytes: 4 * 1024 * 1024,
  /** Most rows in it. */
  scoreRows: 10_000,
  /** Rows of it that are answered in one commit, which single enquiries of the vendor wait for. */
  scoreChunkRows: 250,
  /** Batches of enquiries that one process answers at once; further ones wait in the database. */
  scoreBatchesUnderWay: 2,
  /** Unanswered batches of one vendor before further ones are refused as `overloaded`. */
  scoreOpenBatches: 5,
  /** Largest answer read from an upstream bureau. */
  bureauAnswerBytes: 1024 * 1024,
  /** Largest answer read from an operator. */
  operatorAnswerBytes: 64 * 1024,
  /**
   * In this time, people cause at most one query to the operator about a payment, and so do callbacks
   * that anybody can send.
   */
  operatorQuestionSeconds: 30,
  /** Payments about whose owed details operators are asked in one turn. */
  detailsQuestions: 50,
  /** Days for which an operator is asked for details that it owes. */
  detailsDays: 30,
  /** Largest callback body read from an operator. */
  callbackBodyBytes: 64 * 1024,
  /** Messages of one sender that cannot be read and wait for people, and their bytes together. More are not accepted. */
  unreadMessages: 1_000,
  unreadMessageBytes: 16 * 1024 * 1024,
  /** Largest answer read from a vendor's webhook. */
  webhookAnswerBytes: 64 * 1024,
  /** Most events that one request sends again. */
  replayedEvents: 100_000,
  /** Webhook calls that one process makes at once. */
  webhookCalls: 128,
  /** Webhook calls at once to one vendor, so that its slow receiver does not delay the others. */
  webhookCallsPerVendor: 4,
  /**
   * Retention of events after they were delivered or given up, and the longest time they are kept at
   * all.
   */
  eventRetentionDays: 30,
  /** Retention of handles after their payment has ended, for late callbacks. */
  operatorHandleDays: 90,
  /** The longest handle that is kept for them. */
  operatorHandleLength: 200,
  /** Tolerated difference between a v2 signature's time and the server's clock, in either direction. */
  signatureWindowSeconds: 300,
  /** Nonces are kept this much longer, because the clocks of our own processes differ. */
  nonceMarginSeconds: 60,
  /**
   * Signers and addresses whose rate one process remembers; beyond that the least recently used is
   * forgotten.
   */
  limitedNames: 20_000,
  /** Maximum number of nonces written at once. */
  nonceBatchRows: 512,
  /**
   * Requests waiting for their nonce to be written, before new ones are refused as `overloaded`.
   */
  nonceQueueRows: 8192,
  /**
   * Sign-ins with a password that one process checks at once: half of the console's connections, and of
   * Node's threads for hashing.
   */
  signInsAtOnce: 2,
  /** Sessions that one process looks up at once for requests of people: half of the console's connections. */
  sessionLookUpsAtOnce: 2,
  /** Look-ups at once for cookies that belong to no session known to the process. */
  strangersLookUpsAtOnce: 1,
  /** Such look-ups that wait, of one person, vendor or network, before new ones are refused. */
  sessionLookUpsWaiting: 256,
  /** A look-up that waits longer is refused as `overloaded`. As long as the wait for a connection. */
  sessionLookUpWaitMs: 5_000,
  /**
   * Sign-ins that are checked or wait for it, before new ones are refused as `overloaded`: about a
   * second's on two busy cores, where a hash takes 60 ms.
   */
  signInsUnderWay: 32,
  /** Requests that one process keeps for the request log until its next write. */
  requestLogRows: 5_000,
  /** Requests that one process keeps for one vendor. At a higher rate the vendor's log is a sample. */
  requestLogRowsPerVendor: 500,
  /** Requests that one statement adds to the request log. */
  requestLogBatchRows: 250,
  /** Share of `requestLogRows` for requests that are not proven to come from the vendor they name. */
  requestLogUnproven: 500,
  /** Unproven requests that one process keeps for one vendor. */
  requestLogUnprovenPerVendor: 50,
  /** Retention of the request log. */
  requestLogDays: 7,
  /** Most lines of an operator's statement. */
  statementLines: 500_000,
  /** Largest file of an operator's statement. */
  statementFileBytes: 256 * 1024 * 1024,
  /** People of one vendor in the console, with those who are disabled. */
  peoplePerVendor: 200,
  /** Largest request with a file that is uploaded in the console; it is read in memory. */
  consoleFileBytes: 8 * 1024 * 1024,
  /**
   * Requests with a file that one process receives from the console at once, of vendors' people, before
   * further ones are refused as `overloaded`. Also the number of files still arriving; at the limit, a new
   * one replaces the oldest.
   */
  consoleFilesOfVendors: 8,
  /** Files at once from all people of one vendor together. */
  consoleFilesPerVendor: 4,
  /** Files at once from staff. They never make way for files of vendors. */
  consoleFilesOfStaff: 4,
  /** Files at once from one person. */
  consoleFilesPerPerson: 2,
  /** Problems found in a statement before reading stops. */
  statementProblems: 1_000,
  /** Largest bank statement; it is read in memory. */
  bankStatementBytes: 32 * 1024 * 1024,
  /** Largest answer read from a provider of receipts: it may list all of two days at once. */
  receiptsAnswerBytes: 16 * 1024 * 1024,
  /** Payments in one file of the archive, moved in one commit. */
  archiveFileRows: 5_000,
  /** A payment younger than this is not archived, because operators may still report about it. */
  archiveMinAgeDays: 90,
} as const;
