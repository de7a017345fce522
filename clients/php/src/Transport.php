<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Http\NoAnswer;
use Malipo\Http\NotSent;
use Malipo\Http\Request;
use Malipo\Http\Response;

/**
 * Signs, sends and repeats requests.
 *
 * @internal
 */
final class Transport
{
    private const USER_AGENT = 'malipo-client-php/0.1.0';
    private const FORM = 'application/x-www-form-urlencoded';

    public function __construct(
        #[\SensitiveParameter] private readonly string $key,
        private readonly Options $options,
    ) {
    }

    /**
     * @template Result
     * @param callable(Wire, bool): Result $read reads the body; the second argument is true if the
     *   service had the same request before, and this is its first answer
     * @return Result
     * @throws MalipoException
     */
    public function call(Call $call, callable $read): mixed
    {
        $deadline = self::now() + ($call->retryForSeconds ?? $this->options->retryForSeconds);
        $maybeAccepted = false;
        $attempts = 0;
        while (true) {
            $attempts++;
            [$judgement, $replayed] = $this->attempt($call);
            if ($judgement->kind === Judgement::SUCCESS) {
                try {
                    return $read($judgement->body, $replayed);
                } catch (\UnexpectedValueException) {
                    $judgement = Judgement::unreadable($call->writes);
                }
            }
            $details = $judgement->details;
            if ($judgement->kind === Judgement::REFUSED) {
                $refused = new Refused($details, $attempts);
                // An earlier attempt may have been accepted, or may still arrive. Only this refusal says otherwise.
                $certain = !$maybeAccepted || $details->errorCode === 'reference_reused';
                throw $certain ? $refused : new OutcomeUnknown($details, $attempts, $refused);
            }
            $maybeAccepted = $maybeAccepted || $judgement->kind === Judgement::UNKNOWN;
            $wait = $judgement->waitSeconds($attempts);
            // What has been written of a file cannot be taken back.
            $over = $call->sink?->hasBegun() === true || self::now() + $wait > $deadline;
            if (!$judgement->retry || $over) {
                throw $maybeAccepted
                    ? new OutcomeUnknown($details, $attempts)
                    : new Unavailable($details, $attempts);
            }
            self::sleep($wait);
        }
    }

    /** @return array{Judgement, bool} */
    private function attempt(Call $call): array
    {
        try {
            $answer = $this->options->sender->send($this->request($call));
        } catch (NotSent | NoAnswer $exception) {
            $answer = $exception;
        }
        $replayed = $answer instanceof Response && ($answer->headers['idempotency-replayed'] ?? '') === 'true';
        if ($answer instanceof Response && $call->sink !== null && Response::isFile($answer->status, $answer->headers)) {
            return [Judgement::file(), false];
        }
        return [Judgement::of($answer, $call->writes, $call->method !== null), $replayed];
    }

    private function request(Call $call): Request
    {
        $isResource = $call->method !== null;
        $byHeader = $isResource || $this->options->signature === 'header';
        $parameters = Signature::sent($call->parameters);
        if ($call->signed && !$byHeader) {
            $parameters['hash'] = Signature::hash($parameters, $this->key);
        }
        $form = http_build_query($parameters, '', '&', PHP_QUERY_RFC3986);
        $inQuery = $isResource || $call->file !== null;
        $url = rtrim($call->base, '/') . $call->path . ($inQuery ? "?$form" : '');
        [$body, $contentType] = match (true) {
            $call->file !== null => [$call->file->bytes, $call->file->contentType],
            !$isResource => [$form, self::FORM],
            $call->json !== null => [self::json($call->json), 'application/json'],
            default => ['', ''],
        };
        $headers = ['User-Agent' => self::USER_AGENT] + ($contentType === '' ? [] : ['Content-Type' => $contentType]);
        $method = $call->method ?? 'POST';
        if ($call->signed && $byHeader) {
            $nonce = bin2hex(random_bytes(16));
            $target = self::target($url);
            $headers['X-Signature'] = Signature::header($method, $target, $body, time(), $nonce, $this->key);
        }
        return new Request($method, $url, $headers, $body, $this->options->timeoutSeconds, $call->sink);
    }

    /** @param array<string, mixed> $json */
    private static function json(array $json): string
    {
        return json_encode((object) $json, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    /** Path and query, as in the request line. */
    private static function target(string $url): string
    {
        $parts = parse_url($url);
        if ($parts === false || !isset($parts['host'])) {
            throw new \InvalidArgumentException("Not an address: $url");
        }
        return ($parts['path'] ?? '/') . (isset($parts['query']) ? "?{$parts['query']}" : '');
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    public static function sleep(float $seconds): void
    {
        usleep((int) ($seconds * 1e6));
    }
}
