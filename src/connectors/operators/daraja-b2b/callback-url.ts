/** Daraja refuses callback URLs with these words, and plain http. */
const REFUSED_WORDS = /mpesa|safaricom|exe|exec|cmd|sql|query/i;

/**
 * Throws an `Error` if Daraja would refuse the URL.
 * @param whose the operator or source, for the message.
 */
export function requireCallbackUrl(whose: string, callbackUrl: string): void {
  const { protocol, hostname } = new URL(callbackUrl);
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  if (protocol !== 'https:' && !isLocal) {
    throw new Error(`${whose}: Daraja calls back https only, not ${callbackUrl}`);
  }
  const word = REFUSED_WORDS.exec(callbackUrl)?.[0];
  if (word !== undefined) {
    throw new Error(
      `${whose}: Daraja refuses callback URLs that contain “${word}”: ${callbackUrl}. Choose another code or path.`,
    );
  }
}
