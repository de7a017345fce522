<?php

declare(strict_types=1);

namespace Malipo\Http;

use Http\Discovery\Exception\NotFoundException;
use Http\Discovery\Psr17FactoryDiscovery;
use Http\Discovery\Psr18ClientDiscovery;
use Malipo\FileSink;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * Sends with any PSR-18 client. PSR-18 has no time limit for a request and does not tell whether a
 * failed one was sent: set the limit on the client, and turn off its own repeats and redirects.
 */
final class PsrSender implements Sender
{
    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    /** The installed client and factories, or null if php-http/discovery is missing or finds none. */
    public static function discover(): ?self
    {
        if (!class_exists(Psr18ClientDiscovery::class)) {
            return null;
        }
        try {
            return new self(
                Psr18ClientDiscovery::find(),
                Psr17FactoryDiscovery::findRequestFactory(),
                Psr17FactoryDiscovery::findStreamFactory(),
            );
        } catch (NotFoundException) {
            return null;
        }
    }

    public function send(Request $request): Response
    {
        $message = $this->requests->createRequest($request->method, $request->url)
            ->withBody($this->streams->createStream($request->body));
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        try {
            $response = $this->client->sendRequest($message);
            $body = self::read($response, $request->sink);
        } catch (ClientExceptionInterface | \RuntimeException $exception) {
            throw new NoAnswer('No response: ' . $exception->getMessage(), 0, $exception);
        }
        $headers = [];
        foreach (array_keys($response->getHeaders()) as $name) {
            $headers[strtolower((string) $name)] = $response->getHeaderLine((string) $name);
        }
        return new Response($response->getStatusCode(), $headers, $body);
    }

    private static function read(ResponseInterface $response, ?FileSink $sink): string
    {
        $body = $response->getBody();
        $headers = ['content-type' => $response->getHeaderLine('content-type')];
        if ($sink === null || !Response::isFile($response->getStatusCode(), $headers)) {
            return (string) $body;
        }
        while (!$body->eof()) {
            $sink->write($body->read(65_536));
        }
        return '';
    }
}
