<?php

declare(strict_types=1);

namespace Malipo\Record;

final class LoggedRequest
{
    /**
     * @param ?string $errorCode null: it was not refused
     * @param ?string $keyId the key that signed
     */
    public function __construct(
        public readonly string $requestId,
        public readonly \DateTimeImmutable $at,
        public readonly ?string $operation,
        public readonly string $method,
        public readonly string $path,
        public readonly int $status,
        public readonly ?string $errorCode,
        public readonly float $durationMs,
        public readonly ?string $keyId,
    ) {
    }
}
