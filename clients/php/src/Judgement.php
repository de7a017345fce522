<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Http\NoAnswer;
use Malipo\Http\NotSent;
use Malipo\Http\Response;

/** What one attempt means on its own. */
final class Judgement
{
    public const SUCCESS = 'success';
    public const REFUSED = 'refused';
    public const UNAVAILABLE = 'unavailable';
    public const UNKNOWN = 'unknown';

    /** Codes that say that nothing was accepted, and that it may be later. */
    private const NOTHING_ACCEPTED = [
        'overloaded',
        'unavailable',
        'too_many_requests',
        'biller_offline',
        'operator_unavailable',
        'scoring_unavailable',
        'bureau_unavailable',
    ];

    /** Waiting some seconds does not help. */
    private const NOT_RETRIED = ['biller_offline', 'scoring_unavailable', 'quarantine'];

    private const FIRST_WAIT_SECONDS = 0.25;
    private const LONGEST_WAIT_SECONDS = 8.0;

    private function __construct(
        public readonly string $kind,
        public readonly Wire $body,
        public readonly ErrorDetails $details,
        public readonly bool $retry,
    ) {
    }

    /**
     * @param bool $writes whether the service keeps something of the request
     * @param bool $isResource whether it is an operation below `/v1`
     */
    public static function of(Response|NotSent|NoAnswer $attempt, bool $writes, bool $isResource = false): self
    {
        if ($attempt instanceof NotSent) {
            return self::failure(self::UNAVAILABLE, new ErrorDetails('not_connected', $attempt->getMessage()), $writes);
        }
        if ($attempt instanceof NoAnswer) {
            return self::failure(self::UNKNOWN, new ErrorDetails('no_answer', $attempt->getMessage()), $writes);
        }
        $decoded = json_decode($attempt->body, true);
        $body = new Wire(is_array($decoded) ? $decoded : []);
        // The body’s status counts: something on the way may have changed the other.
        $bodyStatus = $isResource && is_array($decoded) ? $attempt->status : $body->fields['header_status'] ?? null;
        $status = is_int($bodyStatus) ? $bodyStatus : $attempt->status;
        if ($bodyStatus === 200 && !array_key_exists('error', $body->fields)) {
            return new self(self::SUCCESS, $body, new ErrorDetails('', '', 200), false);
        }
        $retryAfter = $attempt->headers['retry-after'] ?? '';
        $retryAfterSeconds = is_numeric($retryAfter) && $retryAfter >= 0 ? (float) $retryAfter : null;
        $errors = $body->fields['error'] ?? null;
        $error = is_array($errors) ? $errors[0] ?? $errors : null;
        $first = is_array($error) ? new Wire($error) : null;
        $code = $first?->textOrNull('code');
        if ($first === null || $code === null) {
            $text = "HTTP $attempt->status with a body that is not a response of the service";
            $details = new ErrorDetails('unexpected_answer', $text, $status, retryAfterSeconds: $retryAfterSeconds);
            return self::failure(self::kindOfStatus($status), $details, $writes);
        }
        $details = new ErrorDetails(
            $code,
            $first->textOrNull('text') ?? $code,
            $status,
            $body->textOrNull('request_id') ?? $first->textOrNull('request_id'),
            $first->textOrNull('field'),
            $first->textOrNull('reference'),
            $retryAfterSeconds,
            $first->textOrNull('signed_text'),
        );
        return self::failure(self::kindOfRefusal($code, $status), $details, $writes);
    }

    /** A file that was read to its end. */
    public static function file(): self
    {
        return new self(self::SUCCESS, new Wire([]), new ErrorDetails('', '', 200), false);
    }

    /** A successful answer without what this client needs of it. */
    public static function unreadable(bool $writes): self
    {
        $details = new ErrorDetails('unexpected_answer', 'The response lacks fields that it should have', 200);
        return new self(self::failure(self::UNKNOWN, $details, $writes)->kind, new Wire([]), $details, false);
    }

    private static function kindOfRefusal(string $code, int $status): string
    {
        if (in_array($code, self::NOTHING_ACCEPTED, true)) {
            return self::UNAVAILABLE;
        }
        // An identical request arrived before: something on the way repeated it, and the first may be accepted.
        if ($code === 'signature_replayed') {
            return self::UNKNOWN;
        }
        // A code that is not known here may mean anything.
        return $status >= 400 && $status < 500 ? self::REFUSED : self::UNKNOWN;
    }

    /** Without the service’s own body: the answer of a proxy. */
    private static function kindOfStatus(int $status): string
    {
        if ($status === 429) {
            return self::UNAVAILABLE;
        }
        return $status >= 300 && $status < 500 && $status !== 408 ? self::REFUSED : self::UNKNOWN;
    }

    private static function failure(string $found, ErrorDetails $details, bool $writes): self
    {
        $code = $details->errorCode;
        // Nothing is accepted by a read. A restored service, however, may have accepted the payment before.
        $kind = !$writes && $found === self::UNKNOWN && $code !== 'quarantine' ? self::UNAVAILABLE : $found;
        $retry = $kind !== self::REFUSED && !in_array($code, self::NOT_RETRIED, true);
        return new self($kind, new Wire([]), $details, $retry);
    }

    /**
     * Returns the wait before the next attempt: as long as the service asks, otherwise twice as long
     * each time, with a random part so that clients do not return all at once.
     */
    public function waitSeconds(int $attempts): float
    {
        if ($this->details->retryAfterSeconds !== null) {
            return $this->details->retryAfterSeconds;
        }
        $full = min(self::LONGEST_WAIT_SECONDS, self::FIRST_WAIT_SECONDS * 2 ** ($attempts - 1));
        return $full / 2 + $full / 2 * random_int(0, 1000) / 1000;
    }
}
