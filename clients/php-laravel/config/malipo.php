<?php

declare(strict_types=1);

return [
    'url' => env('MALIPO_URL'),
    'vid' => env('MALIPO_VID'),
    'key' => env('MALIPO_KEY'),
    // Only if they are not the same as url.
    'fund_url' => env('MALIPO_FUND_URL'),
    'scoring_url' => env('MALIPO_SCORING_URL'),
    // Two secrets, separated by a comma, while you change the secret.
    'webhook_secret' => env('MALIPO_WEBHOOK_SECRET'),
];
