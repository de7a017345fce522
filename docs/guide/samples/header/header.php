<?php
// php header.php

/** Signs and sends one request. Every retry must be signed again. */
function send(string $method, string $path, string $body = ''): string
{
    $time = time();
    $nonce = bin2hex(random_bytes(16));
    $text = implode("\n", ['v2', $method, $path, hash('sha256', $body), $time, $nonce]);
    $sig = hash_hmac('sha256', $text, 'demo-security-key');
    $curl = curl_init((getenv('MALIPO_URL') ?: 'http://127.0.0.1:8080') . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_POSTFIELDS => $body,   // a string is sent as it is, as a URL-encoded form
        CURLOPT_HTTPHEADER => ["X-Signature: v2,t=$time,nonce=$nonce,sig=$sig"],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 15,
    ]);
    $answer = curl_exec($curl);
    if ($answer === false) {
        throw new RuntimeException(curl_error($curl));
    }
    return $answer;
}

echo send('POST', '/transaction/create', http_build_query([
    'vid' => 'demo',
    'biller_name' => 'safaricom',
    'amount' => '10.00',
    'account' => '254722000000',
    'merchant_reference' => 'INV-2031-8',
]));
