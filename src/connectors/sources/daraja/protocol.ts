import type { SourceProtocol } from '../../source.ts';
import { readDarajaSecret } from './settings.ts';
import { createDarajaSource } from './source.ts';
import { organisationStatements } from './statement.ts';

export const daraja: SourceProtocol = {
  exampleSecret: JSON.stringify({ consumer_key: '…', consumer_secret: '…' }),
  sendsPrompts: true,
  checkSecret: (sourceCode, secret) => void readDarajaSecret(sourceCode, secret),
  create: createDarajaSource,
  statements: organisationStatements,
};
