<?php

declare(strict_types=1);

namespace Malipo;

/** For a collector: a program that reports the income that it has collected for vendors. */
final class Collector
{
    private readonly Transport $transport;

    /** @param string $url the base address of the fund operation */
    public function __construct(
        private readonly string $url,
        private readonly string $collector,
        #[\SensitiveParameter] string $key,
        Options $options = new Options(),
    ) {
        $this->transport = new Transport($key, $options);
    }

    /**
     * Reports income, once for each `reference`.
     *
     * @throws MalipoException
     */
    public function collect(string $vid, string $reference, int $amountCents, \DateTimeInterface $paidAt): Movement
    {
        $parameters = [
            'collector' => $this->collector,
            'vid' => $vid,
            'reference' => $reference,
            'amount' => Money::decimalOf($amountCents),
            'currency' => 'KES',
            'paid_at' => $paidAt->format('Uv'),
        ];
        $call = new Call($this->url, '/payments/v2/collections', $parameters, true);
        return $this->transport->call($call, static fn (Wire $body, bool $replayed): Movement
            => Movement::of($body->object('msg'), $replayed));
    }
}
