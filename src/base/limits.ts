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
  /** Most creates one lane commits at once (facts: past 512 latency grows, throughput does not). */
  laneBatchRows: 512,
  /** Creates waiting in one lane before new ones are refused as `overloaded`. */
  laneQueueRows: 8192,
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
  /** How far the time of a v2 signature may be from the server's clock, either way. */
  signatureWindowSeconds: 300,
  /** How long a nonce is kept beyond that, for clocks of our own processes that differ. */
  nonceMarginSeconds: 60,
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
  /** Window in which an equal create is a likely duplicate. */
  duplicateWindowSeconds: 30,
} as const;
