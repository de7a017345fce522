<?php

declare(strict_types=1);

namespace Malipo;

/** Details of a call that did not succeed. */
final class ErrorDetails
{
    /**
     * @param string $errorCode the service’s error code, or `not_connected`, `no_answer`,
     *   `unexpected_answer`, `not_final`
     * @param string $text the service’s text for people
     * @param ?int $status `header_status` or the HTTP status; null without a response
     * @param ?string $requestId quote it when you contact the company that runs the service
     * @param ?string $field the parameter at fault, if there is one
     * @param ?string $reference the payment that the error is about, if it names one
     * @param ?float $retryAfterSeconds how long the service asks to wait
     * @param ?string $signedText in the sandbox only, for `signature_invalid`: the text to sign
     */
    public function __construct(
        public readonly string $errorCode,
        public readonly string $text,
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        public readonly ?string $field = null,
        public readonly ?string $reference = null,
        public readonly ?float $retryAfterSeconds = null,
        public readonly ?string $signedText = null,
    ) {
    }
}
