<?php

declare(strict_types=1);

// The test program of this client: test/clients/README.md describes its lines.

use Malipo\Collector;
use Malipo\Http\CurlSender;
use Malipo\Http\NoAnswer;
use Malipo\Http\NotSent;
use Malipo\Http\PsrSender;
use Malipo\Http\Response;
use Malipo\Http\Sender;
use Malipo\Judgement;
use Malipo\Malipo;
use Malipo\MalipoException;
use Malipo\Money;
use Malipo\NewPayment;
use Malipo\Options;
use Malipo\OutcomeUnknown;
use Malipo\Pages;
use Malipo\Signature;
use Malipo\Time;
use Malipo\UploadFile;
use Malipo\WebhookVerifier;

require __DIR__ . '/autoload.php';

final class Driver
{
    private ?Malipo $malipo = null;
    private ?Collector $collector = null;

    /** @param array<string, mixed> $given */
    public function perform(string $call, array $given): mixed
    {
        return match ($call) {
            'open' => $this->open($given),
            'openCollector' => $this->openCollector($given),
            'collect' => $this->collector?->collect(...self::timed($given, 'paidAt')),
            'signedText' => Signature::text($given['parameters']),
            'hash' => Signature::hash($given['parameters'], $given['key']),
            'headerSignature' => Signature::header(
                $given['method'],
                $given['target'],
                $given['body'],
                $given['seconds'],
                $given['nonce'],
                $given['key'],
            ),
            'centsOf' => Money::centsOf($given['amount']),
            'decimalOf' => Money::decimalOf($given['cents']),
            'timeOf' => Time::of($given['text']),
            'judge' => self::judgement($given)->kind,
            'isRetried' => self::judgement($given)->retry,
            'verifyWebhook' => $this->verify($given),
            'signTestEvent' => WebhookVerifier::signTestEvent(...self::timed($given, 'timestamp')),
            'createPayment' => $this->malipo?->createPayment(new NewPayment(...$given)),
            'pay' => $this->pay($given),
            'waitFor' => $this->malipo?->waitFor(...self::seconds($given)),
            'bulkCreate' => $this->malipo?->bulkCreate($given['batchReference'], self::rows($given['payments'])),
            'batchScore' => $this->malipo?->batchScore(...['customers' => self::file($given['customers'])] + $given),
            'idDecision', 'genericScore', 'mobileLoanScore' => $this->malipo?->{$call}($given),
            'exportPayments', 'exportStatement', 'exportInvoicePdf', 'exportInvoiceCsv' => $this->export($call, self::bounded($given)),
            default => $this->read($call, self::bounded($given)),
        };
    }

    /** @param array<string, mixed> $given with `page`: one page of a list; otherwise all of it */
    private function read(string $call, array $given): mixed
    {
        $page = $given['page'] ?? null;
        unset($given['page']);
        $found = $this->malipo?->{$call}(...$given);
        if (!$found instanceof Pages) {
            return $found;
        }
        return $page === null ? iterator_to_array($found, false) : $found->page(...$page);
    }

    /** @param array<string, mixed> $given */
    private function export(string $call, array $given): string
    {
        $text = '';
        $this->malipo?->{$call}(function (string $chunk) use (&$text): void {
            $text .= $chunk;
        }, ...$given);
        return $text;
    }

    /** @param array<string, mixed> $given */
    private static function bounded(array $given): array
    {
        foreach (['from', 'to'] as $name) {
            if (str_contains($given[$name] ?? '', 'T')) {
                $given[$name] = new DateTimeImmutable($given[$name]);
            }
        }
        return $given;
    }

    /** @param array<string, mixed> $given */
    private static function judgement(array $given): Judgement
    {
        $isResource = ($given['form'] ?? '') === 'resource';
        return Judgement::of(self::attempt($given['attempt']), $given['effect'] === 'write', $isResource);
    }

    /** @param array<string, mixed> $given */
    private function open(array $given): mixed
    {
        $addresses = array_intersect_key($given, ['url' => 1, 'vid' => 1, 'key' => 1, 'fundUrl' => 1, 'scoringUrl' => 1]);
        $this->malipo = new Malipo(...$addresses, options: self::options($given));
        return null;
    }

    /** @param array<string, mixed> $given */
    private function openCollector(array $given): mixed
    {
        $this->collector = new Collector($given['url'], $given['collector'], $given['key'], self::options($given));
        return null;
    }

    /** @param array<string, mixed> $given */
    private static function options(array $given): Options
    {
        $timeoutSeconds = ($given['timeoutMs'] ?? 15_000) / 1000;
        return new Options(
            $given['signature'] ?? 'header',
            $timeoutSeconds,
            ($given['retryForMs'] ?? 45_000) / 1000,
            self::sender($timeoutSeconds),
        );
    }

    /** With `--psr`: Guzzle as the PSR-18 client, from Debian’s packages. */
    private static function sender(float $timeoutSeconds): Sender
    {
        if (!in_array('--psr', $GLOBALS['argv'], true)) {
            return new CurlSender();
        }
        require_once '/usr/share/php/GuzzleHttp/autoload.php';
        $factory = new GuzzleHttp\Psr7\HttpFactory();
        $client = new GuzzleHttp\Client(['timeout' => $timeoutSeconds, 'allow_redirects' => false]);
        return new PsrSender($client, $factory, $factory);
    }

    /** @param array<string, mixed> $given */
    private function pay(array $given): mixed
    {
        $waitFor = ($given['waitForMs'] ?? 60_000) / 1000;
        unset($given['waitForMs']);
        return $this->malipo?->pay(new NewPayment(...$given), $waitFor);
    }

    /** @param array<string, mixed> $given */
    private function verify(array $given): mixed
    {
        $now = (new DateTimeImmutable($given['now']))->getTimestamp();
        $verifier = new WebhookVerifier($given['secrets'], 300, static fn (): int => $now);
        return $verifier->verify($given['body'], $given['headers']);
    }

    /** @param array<string, mixed> $attempt */
    private static function attempt(array $attempt): Response|NotSent|NoAnswer
    {
        return match ($attempt['kind']) {
            'notSent' => new NotSent($attempt['reason']),
            'noAnswer' => new NoAnswer($attempt['reason']),
            default => new Response(
                $attempt['status'],
                $attempt['retryAfter'] === null ? [] : ['retry-after' => $attempt['retryAfter']],
                $attempt['text'],
            ),
        };
    }

    private static function rows(array $payments): array|UploadFile
    {
        return isset($payments['text'])
            ? self::file($payments)
            : array_map(static fn (array $payment): NewPayment => new NewPayment(...$payment), $payments);
    }

    private static function file(array $rows): array|UploadFile
    {
        return isset($rows['text']) ? new UploadFile($rows['text'], $rows['contentType']) : $rows;
    }

    /** @param array<string, mixed> $given */
    private static function timed(array $given, string $name): array
    {
        return [$name => new DateTimeImmutable($given[$name])] + $given;
    }

    /** @param array<string, mixed> $given */
    private static function seconds(array $given): array
    {
        if (isset($given['waitForMs'])) {
            $given['waitForSeconds'] = $given['waitForMs'] / 1000;
        }
        unset($given['waitForMs']);
        return $given;
    }

    public static function shown(mixed $value): mixed
    {
        return match (true) {
            $value instanceof DateTimeImmutable
                => $value->setTimezone(new DateTimeZone('UTC'))->format('Y-m-d\TH:i:s.v\Z'),
            is_object($value) => array_map(self::shown(...), get_object_vars($value)),
            is_array($value) => array_map(self::shown(...), $value),
            default => $value,
        };
    }

    /** @return array<string, mixed> */
    public static function described(Throwable $error): array
    {
        $type = (new ReflectionClass($error))->getShortName();
        if (!$error instanceof MalipoException) {
            return ['type' => $type, 'text' => $error->getMessage()];
        }
        $cause = $error->getPrevious();
        $details = $error->details;
        return [
            'type' => $type,
            'code' => $details->errorCode,
            'text' => $details->text,
            'status' => $details->status,
            'requestId' => $details->requestId,
            'field' => $details->field,
            'reference' => $details->reference,
            'attempts' => $error->attempts,
            'payment' => $error instanceof OutcomeUnknown ? self::shown($error->payment) : null,
            'cause' => $cause === null ? null : self::described($cause),
        ];
    }
}

$driver = new Driver();
while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    try {
        $answer = ['value' => Driver::shown($driver->perform($asked['call'], $asked['with']))];
    } catch (Throwable $error) {
        $answer = ['error' => Driver::described($error)];
    }
    $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
    fwrite(STDOUT, json_encode(['id' => $asked['id']] + $answer, $flags) . "\n");
}
