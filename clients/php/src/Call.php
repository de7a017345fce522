<?php

declare(strict_types=1);

namespace Malipo;

/** One request of an operation. Each attempt sends the same content, signed again. */
final class Call
{
    /**
     * @param array<string, ?string> $parameters
     * @param bool $writes whether the service keeps something of the request
     * @param ?UploadFile $file a file; the parameters then go into the query string
     * @param ?float $retryForSeconds default: that of the options
     * @param ?string $method of an operation below `/v1`, whose parameters go into the query string
     * @param ?array<string, mixed> $json the body of an operation below `/v1`
     * @param ?FileSink $sink where a file below `/v1` goes
     */
    public function __construct(
        public readonly string $base,
        public readonly string $path,
        public readonly array $parameters,
        public readonly bool $writes,
        public readonly bool $signed = true,
        public readonly ?UploadFile $file = null,
        public readonly ?float $retryForSeconds = null,
        public readonly ?string $method = null,
        public readonly ?array $json = null,
        public readonly ?FileSink $sink = null,
    ) {
    }
}
