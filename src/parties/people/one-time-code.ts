import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
/** One step of 30 s to either side, for clocks that differ (RFC 6238 §5.2). */
const WINDOW = 1;

/** A new secret for one-time codes: 160 random bits in base 32 (RFC 4226 §4). */
export function newCodeSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The URI that authenticator apps read from a QR code. */
export function codeUri(secret: string, login: string): string {
  return totp(secret, login).toString();
}

/**
 * The time step of a six-digit code; undefined if the code is wrong, or not newer than the last
 * accepted one.
 */
export function acceptedStep(options: {
  readonly code: string;
  readonly secret: string;
  readonly now: Date;
  readonly lastStep: bigint | null;
}): bigint | undefined {
  const token = options.code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const timestamp = options.now.getTime();
  const delta = totp(options.secret, '').validate({ token, timestamp, window: WINDOW });
  if (delta === null) return undefined;
  const step = BigInt(Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta);
  return options.lastStep !== null && step <= options.lastStep ? undefined : step;
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: 'Malipo',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}
