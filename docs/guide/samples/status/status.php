<?php
// php status.php order-1

require __DIR__ . '/shop.php';

$payment = malipo()->status(merchantReference: $argv[1]);
echo "$payment->status $payment->reference ", $payment->details['token'] ?? '', "\n";
