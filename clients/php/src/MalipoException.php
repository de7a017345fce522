<?php

declare(strict_types=1);

namespace Malipo;

/** The base of `Refused`, `Unavailable` and `OutcomeUnknown`. */
abstract class MalipoException extends \RuntimeException
{
    /** @param int $attempts how often the request was sent */
    public function __construct(
        public readonly ErrorDetails $details,
        public readonly int $attempts,
        ?\Throwable $previous = null,
    ) {
        $about = $details->requestId === null ? '' : ", request $details->requestId";
        parent::__construct("$details->text ({$details->errorCode}$about)", 0, $previous);
    }
}
