import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { Declined, NotSent } from '../../operator-outcomes.ts';
import { declined, notSent } from '../../outcomes.ts';
import { listOf, objectOf, textOf } from '../../values.ts';
import { readBody, refused } from './classify.ts';
import type { AmountsIn } from './requests.ts';
import { wholeCentsOf } from './transaction.ts';

/** A mobile network, which Reloadly calls an operator. */
export interface Network {
  readonly id: string;
  readonly isActive: boolean;
  readonly takesLocalAmounts: boolean;
  /** The exchange rate from our wallet's currency to the recipient's. */
  readonly rate: string | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/** @param value as an answer shows it. */
export function readNetwork(value: unknown): Network | undefined {
  const values = objectOf(value);
  const id = textOf(values?.['operatorId'] ?? values?.['id']);
  if (values === undefined || id === undefined || !/^\d{1,9}$/.test(id)) return undefined;
  return {
    id,
    isActive: (values['status'] ?? 'ACTIVE') === 'ACTIVE',
    takesLocalAmounts: values['supportsLocalAmounts'] === true,
    rate: textOf(objectOf(values['fx'])?.['rate']),
    values,
  };
}

/** Checks that the network accepts the amount. This moves no money. */
export function checkNetwork(
  ending: Ending,
  { amountCents, amountsIn }: { readonly amountCents: bigint; readonly amountsIn: AmountsIn },
): Network | Declined | NotSent {
  const refusal = refused(ending);
  if (refusal !== undefined) return refusal;
  const network = readNetwork(readBody(ending));
  if (network === undefined) return notSent('the network of the number is not known', ANSWERED);
  if (!network.isActive) return notSent('the network is not in service', ANSWERED);
  if (amountsIn === 'recipient' && !network.takesLocalAmounts) {
    return notSent('the network takes no amounts in the recipient’s currency', PAUSED);
  }
  return takesAmount(network, amountCents, amountsIn)
    ? network
    : declined('amount', 'amount_not_allowed', 'The network does not take this amount');
}

const ANSWERED = { answered: true };
const PAUSED = { answered: true, operatorPaused: true };

function takesAmount({ values }: Network, amountCents: bigint, amountsIn: AmountsIn): boolean {
  const [fixed, least, most] =
    amountsIn === 'recipient'
      ? [values['localFixedAmounts'], values['localMinAmount'], values['localMaxAmount']]
      : [values['fixedAmounts'], values['minAmount'], values['maxAmount']];
  if (values['denominationType'] === 'FIXED') {
    return listOf(fixed).some((amount) => wholeCentsOf(textOf(amount)) === amountCents);
  }
  const minimum = wholeCentsOf(textOf(least));
  const maximum = wholeCentsOf(textOf(most));
  return (
    (minimum === undefined || amountCents >= minimum) &&
    (maximum === undefined || amountCents <= maximum)
  );
}
