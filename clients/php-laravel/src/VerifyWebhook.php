<?php

declare(strict_types=1);

namespace Malipo\Laravel;

use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Malipo\WebhookEvent;
use Malipo\WebhookInvalid;
use Malipo\WebhookVerifier;

/** Middleware: lets genuine events through, as the attribute `Malipo\WebhookEvent` of the request. */
final class VerifyWebhook
{
    public function __construct(private readonly WebhookVerifier $verifier)
    {
    }

    /** @param \Closure(Request): mixed $next */
    public function handle(Request $request, \Closure $next): mixed
    {
        try {
            $event = $this->verifier->verify($request->getContent(), $request->headers->all());
        } catch (WebhookInvalid) {
            return new Response('', 401);
        }
        $request->attributes->set(WebhookEvent::class, $event);
        return $next($request);
    }
}
