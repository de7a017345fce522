<?php
// php list.php 2026-11-01

require __DIR__ . '/shop.php';

foreach (malipo()->listPayments(from: $argv[1], status: 'SUCCESS') as $payment) {
    echo "$payment->reference $payment->amountCents\n";
}
