import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { createMac } from '../platform/base/mac.ts';
import type { Secret } from './operator.ts';

/** The parts of a callback URL. */
export interface SecretPath {
  /** The kind of report, such as a result. Lower-case letters. */
  readonly kind: string;
  /** The payment's reference; empty when the callback is about none. */
  readonly reference: string;
  readonly attemptNumber: number;
}

/**
 * Unguessable callback URLs for operators that do not sign callbacks: one for each attempt and kind.
 * Only the operator gets them, so a callback on one comes from the operator or from somebody who has
 * seen the requests. They use only hexadecimal digits, because some operators refuse URLs with certain
 * words.
 */
export interface SecretPaths {
  make(about: SecretPath): string;
  /**
   * Undefined for a path that we did not make. Paths without a reference used to have an empty part in its place; those
   * that are registered with a provider are accepted for good.
   */
  read(path: string): SecretPath | undefined;
}

const MAC_BYTES = 16;
const PATTERN = /^([a-z]{1,10})\/(?:((?:[0-9a-f]{2}){0,64})\/)?(\d{1,5})\/([0-9a-f]{32})$/;

/** @param secrets of the operator, newest first: paths made under a former one are still accepted. */
export function createSecretPaths(operatorCode: string, secrets: readonly Secret[]): SecretPaths {
  const macs = secrets.map(({ secret, validUntil }) => ({
    validUntilMs: validUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    mac: createMac(Buffer.from(hkdfSync('sha256', secret, operatorCode, 'callback path', 32))),
  }));
  const [newest] = macs;
  if (newest === undefined) throw new Error(`operator ${operatorCode} has no key`);
  return {
    make: (about) => {
      const signed = signedText(about);
      const mac = newest.mac.sign(signed).subarray(0, MAC_BYTES).toString('hex');
      // Many proxies merge slashes, so a path has no empty part.
      return `${signed.replace('//', '/')}/${mac}`;
    },
    read: (path) => {
      const [, kind = '', hex = '', attempt = '', given = ''] = PATTERN.exec(path) ?? [];
      if (given === '') return undefined;
      const reference = Buffer.from(hex, 'hex').toString('latin1');
      const about = { kind, reference, attemptNumber: Number(attempt) };
      const isOurs = macs.some(
        ({ mac, validUntilMs }) =>
          validUntilMs > Date.now() && sameMac(mac.sign(signedText(about)), given),
      );
      return isOurs ? about : undefined;
    },
  };
}

function signedText({ kind, reference, attemptNumber }: SecretPath): string {
  return `${kind}/${Buffer.from(reference, 'latin1').toString('hex')}/${attemptNumber}`;
}

function sameMac(right: Buffer, given: string): boolean {
  return timingSafeEqual(right.subarray(0, MAC_BYTES), Buffer.from(given, 'hex'));
}
