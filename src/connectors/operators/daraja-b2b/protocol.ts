import { Type } from 'typebox';
import type { Static } from 'typebox';
import { byCode, strict } from '../../../platform/base/json-fields.ts';
import { createSettingsReader } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { ACCESS_SETTINGS, accessOf, EXAMPLE_SECRET, shortCode } from './access.ts';
import { createDarajaConnector } from './connector.ts';
import { DARAJA_B2B } from './declaration.ts';
import type { Receiver } from './requests.ts';

/** A biller is paid to a paybill or to a till. */
const BILLER = strict({
  pay_bill: Type.Optional(shortCode),
  /** A till, the number of a store, or the head office of a merchant. */
  till: Type.Optional(shortCode),
  /** `2` is a till, `4` a paybill. Default: 4. */
  identifier_type: Type.Optional(Type.Enum(['2', '4'])),
  account_reference: Type.Optional(Type.String({ pattern: '^[^{}]*\\{account\\}[^{}]*$' })),
});

const SETTINGS = strict({
  ...ACCESS_SETTINGS,
  billers: byCode(BILLER),
  max_account_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 32 })),
});
const readSettings = createSettingsReader(SETTINGS);

export const darajaB2b: Protocol = {
  declaration: DARAJA_B2B,
  exampleSecret: EXAMPLE_SECRET,
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const settings = readSettings(operator.operatorCode, operator.settings);
    return createDarajaConnector({
      ...accessOf(operator, settings, { callbackUrl, floatAccount: 'Working Account' }),
      billers: new Map(
        Object.entries(settings.billers).map(([code, rule]) => [
          code,
          {
            receiver: receiverOf(operator.operatorCode, code, rule),
            accountReference: rule.account_reference ?? '{account}',
          },
        ]),
      ),
      maxAccountLength: settings.max_account_length ?? 13,
    });
  },
  statementFormat: null,
};

function receiverOf(
  operatorCode: string,
  billerCode: string,
  { pay_bill: payBill, till, identifier_type: identifierType }: Static<typeof BILLER>,
): Receiver {
  if (till !== undefined && payBill === undefined) {
    return {
      command: 'BusinessBuyGoods',
      shortCode: till,
      identifierType: identifierType ?? '4',
    };
  }
  if (payBill !== undefined && till === undefined && identifierType === undefined) {
    return { command: 'BusinessPayBill', shortCode: payBill, identifierType: '4' };
  }
  throw new Error(
    `operator ${operatorCode}: settings.billers.${billerCode} needs pay_bill, or till (with identifier_type if it is not 4)`,
  );
}
