// node pay.mts order-1 37200009901
import { OutcomeUnknown, Refused, Unavailable } from '@malipo/client';
import { malipo } from './shop.mts';

const [, , order = '', account = ''] = process.argv;

try {
  // Moves what was collected for you into the float, from which payments are made.
  await malipo.fund();
  const payment = await malipo.pay(
    {
      billerName: 'kplc_prepaid',
      account,
      amountCents: 10_000, // KES 100.00
      merchantReference: order, // your own reference: it is paid once
    },
    { waitForMs: 20_000 },
  );
  if (payment.status === 'SUCCESS') console.log(`paid, token ${payment.details.token}`);
  else console.log(`not paid: ${payment.failureCode}, ${payment.message}`);
} catch (error) {
  if (error instanceof Refused) {
    // Nothing was accepted. Correct the request.
    console.log(`refused: ${error.message}`);
  } else if (error instanceof Unavailable) {
    console.log(`nothing was accepted; try again later: ${error.message}`);
  } else if (error instanceof OutcomeUnknown) {
    // It may be paid. Never pay again with another reference.
    console.log(`not known yet: ${error.message}`);
  } else {
    throw error;
  }
}
