<?php
// php balance.php

require __DIR__ . '/shop.php';

$balance = malipo()->getBalance();
echo "$balance->floatCents cents in the float, $balance->reservedCents reserved\n";
