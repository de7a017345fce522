<?php
// php signature.php
function sign(array $params, string $key): string
{
    unset($params['hash']);
    ksort($params, SORT_STRING);
    $pairs = [];
    foreach ($params as $name => $value) {
        if ($value !== null) {
            $pairs[] = "$name=$value";
        }
    }
    return hash_hmac('sha256', implode('&', $pairs), $key);
}

echo sign([
    'vid' => 'demo',
    'biller_name' => 'kplc_prepaid',
    'amount' => '100',
    'account' => '37200009901',
    'merchant_reference' => 'order-1001',
], 'demo-security-key'), "\n";
