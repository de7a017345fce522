<?php

declare(strict_types=1);

namespace Malipo;

/**
 * The credit operations of a vendor. A repeated `requestReference` gets the first answer. Names and
 * values of parameters and results are those of the service’s specification; amounts in results are
 * decimal text.
 */
abstract class Credit extends Vendor
{
    /**
     * @param array<string, string|int|null> $enquiry `requestReference`, `reportReason` and the customer
     * @return array<mixed>
     * @throws MalipoException
     */
    public function idDecision(array $enquiry): array
    {
        return $this->enquire('/id-decision', $enquiry);
    }

    /**
     * @param array<string, string|int|null> $enquiry also `reportSector` and at least two names
     * @return array<mixed>
     * @throws MalipoException
     */
    public function genericScore(array $enquiry): array
    {
        return $this->enquire('/generic-score', $enquiry);
    }

    /**
     * @param array<string, string|int|null> $enquiry also `reportSector` and at least two names
     * @return array<mixed>
     * @throws MalipoException
     */
    public function mobileLoanScore(array $enquiry): array
    {
        return $this->enquire('/mobile-loan-score', $enquiry);
    }

    /**
     * @param array<string, string|int|null> $enquiry
     * @return array<mixed>
     */
    private function enquire(string $path, array $enquiry): array
    {
        return $this->write($path, self::texts($enquiry), static function (Wire $body): array {
            $answer = $body->fields;
            unset($answer['header_status']);
            return $answer;
        });
    }

    /**
     * Asks for the scores of up to 10,000 customers with one file.
     *
     * @param 'generic-score'|'mobile-loan-score' $product
     * @param list<array<string, string|null>>|UploadFile $customers rows, or a file as you have it
     * @throws MalipoException
     */
    public function batchScore(
        string $batchReference,
        string $product,
        int $reportReason,
        int $reportSector,
        array|UploadFile $customers,
    ): ScoreBatch {
        $file = $customers instanceof UploadFile ? $customers : UploadFile::ofRows($customers);
        $parameters = [
            'batchReference' => $batchReference,
            'product' => $product,
            'reportReason' => (string) $reportReason,
            'reportSector' => (string) $reportSector,
            'sha256' => hash('sha256', $file->bytes),
        ];
        $read = static fn (Wire $body): ScoreBatch => ScoreBatch::of($body->object('msg'));
        return $this->write('/batch-score', $parameters, $read, $file);
    }

    /** @throws MalipoException */
    public function batchScoreStatus(string $batchReference): ScoreBatch
    {
        $read = static fn (Wire $body): ScoreBatch => ScoreBatch::of($body->object('msg'));
        return $this->read('/batch-score/status', ['batchReference' => $batchReference], $read);
    }

    /** @throws MalipoException */
    public function batchScoreResult(string $batchReference): ScoreBatch
    {
        $parameters = ['batchReference' => $batchReference, 'format' => 'json'];
        return $this->read('/batch-score/result', $parameters, static fn (Wire $body): ScoreBatch => ScoreBatch::of(
            $body->object('msg'),
            $body->text('notice'),
            array_map(static fn (Wire $row): array => $row->fields, $body->objects('data')),
        ));
    }

    /**
     * Reports changes about the customer of one of your enquiries to your webhook.
     *
     * @throws MalipoException
     */
    public function watch(string $requestReference, int $scoreDrop): Watch
    {
        $parameters = ['requestReference' => $requestReference, 'scoreDrop' => (string) $scoreDrop];
        return $this->write('/watch', $parameters, static fn (Wire $body): Watch => Watch::of($body->object('msg')));
    }

    /** @throws MalipoException */
    public function unwatch(string $requestReference): Watch
    {
        $parameters = ['requestReference' => $requestReference];
        return $this->write('/unwatch', $parameters, static fn (Wire $body): Watch => Watch::of($body->object('msg')));
    }

    /**
     * @param array<string, string|int|null> $values
     * @return array<string, ?string>
     */
    private static function texts(array $values): array
    {
        return array_map(static fn (string|int|null $value): ?string => $value === null ? null : (string) $value, $values);
    }
}
