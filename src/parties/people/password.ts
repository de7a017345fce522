import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const hashWith = promisify(argon2);

/** OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, 2 passes and 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

export const MIN_PASSWORD_LENGTH = 12;
/** Longer ones would only cost time. */
export const MAX_PASSWORD_LENGTH = 256;

/** Why a password is not acceptable (NIST SP 800-63B: length, and nothing that is easy to guess). */
export function passwordProblem(password: string, login: string): string | undefined {
  if (password.length < MIN_PASSWORD_LENGTH) {
    return `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    return `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  }
  if (new Set(password).size < 5) return 'must have at least five different characters';
  const [name = login] = login.split('@', 1);
  if (name.length > 3 && password.toLowerCase().includes(name)) {
    return 'must not contain the sign-in name';
  }
  return undefined;
}

/** The hash as PHC text, which names its algorithm and cost: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * Takes the same time for a person without a password as for a wrong password, so that it does not
 * show which sign-in names exist.
 * @param stored a result of `hashPassword`; null: the person has none.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > MAX_PASSWORD_LENGTH) return false;
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? '');
  const [, memory, passes, parallelism, salt = '', expected = ''] = parts ?? [];
  if (parts === null) {
    await derive(password, Buffer.alloc(SALT_BYTES), COST);
    return false;
  }
  const cost = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
  const hash = await derive(password, Buffer.from(salt, 'base64'), cost);
  const wanted = Buffer.from(expected, 'base64');
  return hash.length === wanted.length && timingSafeEqual(hash, wanted);
}

async function derive(
  password: string,
  salt: Buffer,
  cost: { readonly memory: number; readonly passes: number; readonly parallelism: number },
): Promise<Buffer> {
  // The same characters can be typed as different code points (RFC 8265).
  const message = password.normalize('NFC');
  return await hashWith('argon2id', { message, nonce: salt, tagLength: HASH_BYTES, ...cost });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
