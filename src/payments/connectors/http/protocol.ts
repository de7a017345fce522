import { Type } from 'typebox';
import { LIMITS } from '../../../platform/base/limits.ts';
import { connectionOf, readBaseUrl } from '../connection.ts';
import { createSettingsReader } from '../protocol.ts';
import type { Protocol } from '../protocol.ts';
import { createHttpConnector } from './connector.ts';
import { HTTP } from './declaration.ts';
import { readHttpSettings, requireConsistent } from './settings.ts';

const readSecret = createSettingsReader(
  Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,40}$' }), Type.String({ maxLength: 4_000 }), {
    additionalProperties: false,
  }),
);

export const http: Protocol = {
  declaration: HTTP,
  exampleSecret: '{"api_key":"…"}',
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const { operatorCode } = operator;
    const settings = readHttpSettings(operatorCode, operator.settings);
    try {
      requireConsistent(settings);
      return createHttpConnector({
        ...connectionOf(operator, settings),
        baseUrl: readBaseUrl(operator),
        settings,
        secret: readSecret(operatorCode, parseSecret(operator.secret), 'secret'),
        callbackUrl,
        answerBytes: LIMITS.operatorAnswerBytes,
      });
    } catch (error) {
      const { message } = error as Error;
      if (message.startsWith('operator ')) throw error;
      throw new Error(`operator ${operatorCode}: settings.${message}`, { cause: error });
    }
  },
  statementFormat: null,
};

function parseSecret(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
