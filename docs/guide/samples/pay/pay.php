<?php
// php pay.php order-1 37200009901

require __DIR__ . '/shop.php';

use Malipo\NewPayment;
use Malipo\OutcomeUnknown;
use Malipo\Refused;
use Malipo\Unavailable;

[, $order, $account] = $argv;

try {
    // Moves what was collected for you into the float, from which payments are made.
    malipo()->fund();
    $payment = malipo()->pay(new NewPayment(
        billerName: 'kplc_prepaid',
        account: $account,
        amountCents: 10_000,         // KES 100.00
        merchantReference: $order,   // your own reference: it is paid once
    ), waitForSeconds: 20);
    echo $payment->isPaid()
        ? "paid, token {$payment->details['token']}\n"
        : "not paid: $payment->failureCode, $payment->message\n";
} catch (Refused $refused) {
    // Nothing was accepted. Correct the request.
    echo "refused: {$refused->getMessage()}\n";
} catch (Unavailable $unavailable) {
    echo "nothing was accepted; try again later: {$unavailable->getMessage()}\n";
} catch (OutcomeUnknown $unknown) {
    // It may be paid. Never pay again with another reference.
    echo "not known yet: {$unknown->getMessage()}\n";
}
