<?php

declare(strict_types=1);

namespace Malipo\Http;

use Malipo\FileSink;

/** One attempt of a request. */
final class Request
{
    /**
     * @param array<string, string> $headers
     * @param ?FileSink $sink where a CSV file of a response with status 200 goes, chunk by chunk
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly string $body,
        public readonly float $timeoutSeconds,
        public readonly ?FileSink $sink = null,
    ) {
    }
}
