<?php

declare(strict_types=1);

namespace Malipo\Http;

final class Response
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** @param array<string, string> $headers names in lower case */
    public static function isFile(int $status, array $headers): bool
    {
        return $status === 200 && preg_match('#^(text/csv|application/pdf)#', $headers['content-type'] ?? '') === 1;
    }
}
