import { PlainError } from '../../platform/base/plain-error.ts';
import { isPrivateHost } from '../../platform/outbound/public-lookup.ts';

const MAX_LENGTH = 2_000;
const FIELD = { field: 'url' };

/**
 * A webhook's URL in normal form. Each call checks where its name resolves to.
 * @param allowsPrivate true: it may be plain http, and in a private network.
 * Throws: `PlainError` with the problem.
 */
export function readWebhookUrl(text: string, allowsPrivate: boolean): URL {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) {
    throw new PlainError('The URL must be https://host[:port][/path][?query].', FIELD);
  }
  // In the form that is stored, because each call reads it again.
  if (url.href.length > MAX_LENGTH) {
    throw new PlainError(
      `The URL must have at most ${MAX_LENGTH} characters, counted when they are encoded.`,
      FIELD,
    );
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new PlainError('The URL must not contain a user name, a password or a fragment.', FIELD);
  }
  if (allowsPrivate) return url;
  if (url.protocol !== 'https:') {
    throw new PlainError(
      'The URL must be https, because events contain account numbers and tokens. For a receiver in your own network, staff can use --allow-private.',
      FIELD,
    );
  }
  if (isPrivateHost(url.hostname)) {
    throw new PlainError(
      'The URL is in a private network. If that is intended, staff can use --allow-private.',
      FIELD,
    );
  }
  return url;
}
