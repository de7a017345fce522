const REQUEST_ID = /^AT[A-Za-z]id_[0-9A-Za-z]{8,90}$/;

/** Their id of an accepted request. */
export function isRequestId(text: string | undefined): text is string {
  return text !== undefined && REQUEST_ID.test(text);
}
