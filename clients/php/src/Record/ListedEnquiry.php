<?php

declare(strict_types=1);

namespace Malipo\Record;

/** A credit enquiry, without personal data. */
final class ListedEnquiry
{
    /**
     * @param string $sequence its place among your enquiries
     * @param ?string $customer the last three digits of the customer’s reference
     * @param bool $nameDiffers true: a name on file is another than in the enquiry, as after a marriage;
     *     check the document
     * @param ?Scorecard $scorecard null: the registry gave no score
     */
    public function __construct(
        public readonly string $sequence,
        public readonly \DateTimeImmutable $at,
        public readonly string $operation,
        public readonly string $requestReference,
        public readonly int $reportReason,
        public readonly string $outcome,
        public readonly ?string $customer,
        public readonly bool $nameDiffers,
        public readonly ?string $grade,
        public readonly ?Scorecard $scorecard,
        public readonly bool $erased,
    ) {
    }
}
