<?php

declare(strict_types=1);

namespace Malipo;

/**
 * It is not known whether the request was accepted, or a payment has no final state yet. Repeat the
 * call with the **same** reference, or query the status by it. Never pay again with a new reference.
 */
final class OutcomeUnknown extends MalipoException
{
    /** @param ?Payment $payment from `pay` and `waitFor`: the last known state of the accepted payment */
    public function __construct(
        ErrorDetails $details,
        int $attempts,
        ?\Throwable $previous = null,
        public readonly ?Payment $payment = null,
    ) {
        parent::__construct($details, $attempts, $previous);
    }
}
