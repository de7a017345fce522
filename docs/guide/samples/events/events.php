<?php
// MALIPO_WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 events.php

require __DIR__ . '/shop.php';

$webhooks = new Malipo\WebhookVerifier(getenv('MALIPO_WEBHOOK_SECRET'));
try {
    $event = $webhooks->verifyRequest();
} catch (Malipo\WebhookInvalid) {
    http_response_code(401);
    exit;
}
// Here: store the event under $event->id. The same id again is the same event.
if ($event->payment !== null) {
    error_log("$event->type {$event->payment->merchantReference} {$event->payment->status}");
}
http_response_code(204);
