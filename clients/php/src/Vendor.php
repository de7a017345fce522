<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Sends the requests of one vendor to the right address.
 *
 * @internal
 */
abstract class Vendor
{
    private const UNSIGNED = ['/billing/list', '/billing/biller/status', '/billing/biller/products'];

    private readonly Transport $transport;

    /**
     * @param string $url the base address, such as `https://bills.example/ipay-billing`
     * @param string $vid your vendor ID
     * @param string $key your security key
     * @param ?string $fundUrl the base address of the fund operation, if it is another one
     * @param ?string $scoringUrl the base address of the credit operations, if it is another one
     */
    public function __construct(
        private readonly string $url,
        private readonly string $vid,
        #[\SensitiveParameter] string $key,
        private readonly ?string $fundUrl = null,
        private readonly ?string $scoringUrl = null,
        Options $options = new Options(),
    ) {
        $this->transport = new Transport($key, $options);
    }

    /**
     * @template Result
     * @param array<string, ?string> $parameters without `vid`
     * @param callable(Wire, bool): Result $read
     * @return Result
     * @throws MalipoException
     */
    protected function read(string $path, array $parameters, callable $read, ?float $retryForSeconds = null): mixed
    {
        $signed = !in_array($path, self::UNSIGNED, true);
        $parameters = ['vid' => $this->vid] + $parameters;
        $call = new Call($this->baseOf($path), $path, $parameters, false, $signed, null, $retryForSeconds);
        return $this->transport->call($call, $read);
    }

    /**
     * @template Result
     * @param array<string, ?string> $parameters without `vid`
     * @param callable(Wire, bool): Result $read
     * @return Result
     * @throws MalipoException
     */
    protected function write(string $path, array $parameters, callable $read, ?UploadFile $file = null): mixed
    {
        $parameters = ['vid' => $this->vid] + $parameters;
        return $this->transport->call(new Call($this->baseOf($path), $path, $parameters, true, true, $file), $read);
    }

    /**
     * Reads below `/v1`.
     *
     * @template Result
     * @param array<string, string> $query without `vid`
     * @param callable(Wire): Result $read
     * @return Result
     * @throws MalipoException
     */
    protected function fetch(string $path, array $query, callable $read): mixed
    {
        $query = ['vid' => $this->vid] + $query;
        return $this->transport->call(new Call($this->url, $path, $query, false, method: 'GET'), $read);
    }

    /**
     * Writes below `/v1`.
     *
     * @template Result
     * @param ?array<string, mixed> $json the body
     * @param callable(Wire): Result $read
     * @return Result
     * @throws MalipoException
     */
    protected function send(string $method, string $path, ?array $json, callable $read): mixed
    {
        $query = ['vid' => $this->vid];
        return $this->transport->call(new Call($this->url, $path, $query, true, method: $method, json: $json), $read);
    }

    /**
     * Reads a file below `/v1`.
     *
     * @param array<string, string> $query without `vid`
     * @param callable(string): mixed $write
     * @throws MalipoException
     */
    protected function download(string $path, array $query, callable $write): void
    {
        $query = ['vid' => $this->vid] + $query;
        $sink = new FileSink(\Closure::fromCallable($write));
        $read = static fn (): bool => $sink->hasBegun() ?: throw new \UnexpectedValueException('No file');
        $this->transport->call(new Call($this->url, $path, $query, false, method: 'GET', sink: $sink), $read);
    }

    private function baseOf(string $path): string
    {
        if (str_starts_with($path, '/payments/')) {
            return $this->fundUrl ?? $this->url;
        }
        $billing = str_starts_with($path, '/billing/') || str_starts_with($path, '/transaction/');
        return $billing ? $this->url : $this->scoringUrl ?? $this->url;
    }
}
