import { Type } from 'typebox';
import { PlainError } from '../platform/base/plain-error.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import { requireMachine } from './deps.ts';
import { count, NOTHING } from './fields.ts';

const core = async () => await import('../parties/people/reseal.ts');

export const STORED_KEYS: Noun = {
  command: 'keys',
  summary: 'Stored keys.',
  definitions: [
    action(core, {
      name: 'keys.reseal',
      summary:
        'Re-encrypt all stored keys, and the secrets of one-time codes, with MASTER_KEY, decrypting them with it or with MASTER_KEY_PREVIOUS. Re-encrypts all of them or none, and can be repeated. First restart the service with both keys.',
      onMachine: true,
      permission: 'system.act',
      actsAlone: 'always',
      input: NOTHING,
      output: Type.Object({
        resealed: count({ title: 'Encrypted under the new master key' }),
        already: count({ title: 'Were already' }),
      }),
      handle: async ({ core: { resealAllKeys }, deps }) => {
        const { newKeys } = requireMachine(deps);
        if (newKeys === undefined) {
          throw new PlainError(
            'Set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the former one.',
          );
        }
        const after = await resealAllKeys(deps.pool, newKeys);
        return { result: after, audit: { after } };
      },
    }),
  ],
};
