import { createHmac, timingSafeEqual } from 'node:crypto';

/** Authentication codes: who has the key can make one for a text, and check one. */
export interface Mac {
  sign(text: string): Buffer;
  /** False also for one that is missing. */
  verify(text: string, mac: Buffer | null): boolean;
}

/** HMAC-SHA-256. */
export function createMac(key: Buffer): Mac {
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest();
  return {
    sign,
    verify: (text, mac) => {
      const right = sign(text);
      return mac?.length === right.length && timingSafeEqual(mac, right);
    },
  };
}
