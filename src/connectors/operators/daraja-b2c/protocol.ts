import { Type } from 'typebox';
import { strict } from '../../../platform/base/json-fields.ts';
import { createSettingsReader } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { ACCESS_SETTINGS, accessOf, EXAMPLE_SECRET } from '../daraja-b2b/access.ts';
import { COMMAND_IDS, createDarajaB2cConnector } from './connector.ts';
import { DARAJA_B2C } from './declaration.ts';

const SETTINGS = strict({
  ...ACCESS_SETTINGS,
  /** Safaricom's class of the payments, which decides who can be paid. Default: BusinessPayment. */
  command_id: Type.Optional(Type.Enum([...COMMAND_IDS])),
});
const readSettings = createSettingsReader(SETTINGS);

export const darajaB2c: Protocol = {
  declaration: DARAJA_B2C,
  exampleSecret: EXAMPLE_SECRET,
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const settings = readSettings(operator.operatorCode, operator.settings);
    return createDarajaB2cConnector({
      ...accessOf(operator, settings, { callbackUrl, floatAccount: 'Utility Account' }),
      commandId: settings.command_id ?? 'BusinessPayment',
    });
  },
  statementFormat: null,
};
