import { constants, publicEncrypt } from 'node:crypto';
import { compileExpression, textOf } from './expression.ts';
import type { EncryptedSettings } from './settings.ts';
import { rsaPublicKey } from './signature.ts';
import type { Padding } from './signature.ts';
import { at } from './signing.ts';

/** The encrypted values of a request, by name. Rejects with an `Error` that names the setting, not the value. */
export type Encryption = (input: object) => Promise<Readonly<Record<string, string>>>;

/** Throws: `Error` naming the setting. */
export function compileEncryption(settings: EncryptedSettings = {}): Encryption {
  const values = Object.entries(settings).map(([name, value]) => {
    const where = `encrypted.${name}`;
    const key = at(`${where}.public_key`, () => rsaPublicKey(value.public_key));
    const text = compileExpression(`${where}.text`, value.text);
    return async (input: object) => {
      const plain = textOf(await text.evaluate(input));
      if (plain === undefined) throw new Error(`${where}.text yields no text`);
      const made = at(where, () => {
        try {
          return publicEncrypt({ key, ...padded(value.padding) }, Buffer.from(plain));
        } catch {
          // The library's message may repeat what was to be encrypted.
          throw new Error('is too long for the key');
        }
      });
      return [name, made.toString(value.encoding)] as const;
    };
  });
  return async (input) =>
    Object.fromEntries(await Promise.all(values.map(async (value) => await value(input))));
}

function padded(padding: Padding) {
  return padding === 'pkcs1'
    ? { padding: constants.RSA_PKCS1_PADDING }
    : {
        padding: constants.RSA_PKCS1_OAEP_PADDING,
        oaepHash: padding === 'oaep-sha1' ? 'sha1' : 'sha256',
      };
}
