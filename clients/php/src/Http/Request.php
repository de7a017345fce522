<?php

declare(strict_types=1);

namespace Malipo\Http;

/** One attempt of a request. It is always a POST. */
final class Request
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $url,
        public readonly array $headers,
        public readonly string $body,
        public readonly float $timeoutSeconds,
    ) {
    }
}
