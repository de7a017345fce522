<?php
// shop.php: shared by the programs below

require __DIR__ . '/vendor/autoload.php';

function malipo(): Malipo\Malipo
{
    return new Malipo\Malipo(
        url: getenv('MALIPO_URL') ?: 'http://127.0.0.1:8080',
        vid: getenv('MALIPO_VID') ?: 'demo',
        key: getenv('MALIPO_KEY') ?: 'demo-security-key',
    );
}
