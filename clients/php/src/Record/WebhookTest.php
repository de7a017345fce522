<?php

declare(strict_types=1);

namespace Malipo\Record;

final class WebhookTest
{
    /**
     * @param ?string $answer the beginning of what the receiver answered
     */
    public function __construct(
        public readonly bool $delivered,
        public readonly string $webhookId,
        public readonly string $url,
        public readonly string $result,
        public readonly ?string $answer,
        public readonly int $durationMs,
    ) {
    }
}
