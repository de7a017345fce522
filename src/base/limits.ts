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
  /** Window in which an equal create is a likely duplicate. */
  duplicateWindowSeconds: 30,
} as const;
