<?php

declare(strict_types=1);

namespace Malipo;

/** All operations of a vendor. Every call throws `Refused`, `Unavailable` or `OutcomeUnknown`. */
final class Malipo extends SelfService
{
    /**
     * Moves all collected income into the float.
     *
     * @throws MalipoException
     */
    public function fund(): Movement
    {
        // The same time in every attempt, so that a repeated request gets the answer of the movement.
        $parameters = ['currency' => 'KES', 'time' => (string) (int) (microtime(true) * 1000)];
        $read = static fn (Wire $body, bool $replayed): Movement
            => Movement::of($body->object('msg'), $replayed);
        return $this->write('/payments/v2/billing/fund', $parameters, $read);
    }

    /**
     * The float in cents.
     *
     * @throws MalipoException
     */
    public function balance(): int
    {
        return $this->read('/billing/account/balance', [], static fn (Wire $body): int => $body->cents('balance'));
    }

    /**
     * @return list<Biller>
     * @throws MalipoException
     */
    public function listBillers(): array
    {
        $read = static fn (Wire $body): array => array_map(Biller::of(...), $body->objects('data'));
        return $this->read('/billing/list', [], $read);
    }

    /** @throws MalipoException */
    public function billerStatus(string $billerCode): Biller
    {
        $read = static fn (Wire $body): Biller => Biller::of($body->object('data'));
        return $this->read('/billing/biller/status', ['biller_code' => $billerCode], $read);
    }

    /** @throws MalipoException */
    public function billerProducts(string $billerCode): BillerProducts
    {
        $read = static fn (Wire $body): BillerProducts => BillerProducts::of($body->object('data'));
        return $this->read('/billing/biller/products', ['biller_code' => $billerCode], $read);
    }

    /**
     * Asks the operator whether an account exists. Some billers only.
     *
     * @param string $accountType the biller’s code or name
     * @throws MalipoException
     */
    public function validate(string $account, string $accountType, ?string $phone = null): AccountValidation
    {
        $parameters = ['account' => $account, 'account_type' => $accountType, 'phone' => $phone];
        $read = static fn (Wire $body): AccountValidation
            => AccountValidation::of($body, $body->object('account_data'));
        return $this->read('/billing/validate/account', $parameters, $read);
    }

    /**
     * The mobile operator of a prefix: three digits without the leading 0, such as `722`.
     *
     * @throws MalipoException
     */
    public function lookup(string $prefix): PhoneLookup
    {
        $read = static fn (Wire $body): PhoneLookup => PhoneLookup::of($body->object('data'));
        return $this->read('/billing/phone/lookup', ['prefix' => $prefix], $read);
    }

    /**
     * Queues a payment. Accepted means queued, not paid: see `pay`, `waitFor` and webhooks.
     *
     * @throws MalipoException
     */
    public function createPayment(NewPayment $payment): CreatedPayment
    {
        $read = static fn (Wire $body, bool $replayed): CreatedPayment
            => CreatedPayment::of($body->object('msg'), $replayed);
        return $this->write('/transaction/create', $payment->parameters(), $read);
    }

    /**
     * The state of a payment, named by the service’s reference or by your own.
     *
     * @throws MalipoException
     */
    public function status(?string $reference = null, ?string $merchantReference = null): Payment
    {
        return $this->query($reference, $merchantReference, null);
    }

    private function query(?string $reference, ?string $merchantReference, ?float $retryForSeconds): Payment
    {
        $parameters = ['reference' => $reference, 'merchant_reference' => $merchantReference];
        $read = static fn (Wire $body): Payment => Payment::of($body->object('msg'));
        return $this->read('/transaction/check/status', $parameters, $read, $retryForSeconds);
    }

    /**
     * Creates a payment, waits, and returns its final state, which is `SUCCESS` or `FAILED`. After an
     * `OutcomeUnknown` or `Unavailable`, call it again with the same `merchantReference`: it goes on
     * with the same payment.
     *
     * @throws MalipoException
     */
    public function pay(NewPayment $payment, float $waitForSeconds = 60.0): Payment
    {
        return $this->waitFor($this->createPayment($payment)->reference, null, $waitForSeconds);
    }

    /**
     * Waits until an accepted payment is final.
     *
     * @throws OutcomeUnknown if it is not final in time
     */
    public function waitFor(
        ?string $reference = null,
        ?string $merchantReference = null,
        float $waitForSeconds = 60.0,
    ): Payment {
        $deadline = Transport::now() + $waitForSeconds;
        $payment = null;
        $queries = 0;
        while (true) {
            $queries++;
            $previous = null;
            $wait = min(5.0, 0.4 * 1.5 ** ($queries - 1));
            try {
                $payment = $this->query($reference, $merchantReference, 0.0);
                if ($payment->isFinal()) {
                    return $payment;
                }
            } catch (Refused $refused) {
                // The payment was accepted, so a refused query says nothing about it.
                throw new OutcomeUnknown($refused->details, $queries, $refused, $payment);
            } catch (MalipoException $previous) {
                $wait = max($wait, $previous->details->retryAfterSeconds ?? 0.0);
            }
            if (Transport::now() + $wait > $deadline) {
                $text = "The payment is not final after $waitForSeconds s; it may still be paid";
                $details = new ErrorDetails('not_final', $text, reference: $payment->reference ?? $reference);
                throw new OutcomeUnknown($details, $queries, $previous, $payment);
            }
            Transport::sleep($wait);
        }
    }

    /**
     * Sends up to 5,000 payments as one file. If you do not know whether it arrived, call it again
     * with the same `batchReference` and the same payments.
     *
     * @param list<NewPayment>|UploadFile $payments rows, or a file as you have it
     * @throws MalipoException
     */
    public function bulkCreate(string $batchReference, array|UploadFile $payments): Bulk
    {
        $file = $payments instanceof UploadFile ? $payments : UploadFile::ofRows(array_map(
            static fn (NewPayment $payment): array => $payment->parameters(),
            $payments,
        ));
        $parameters = ['batch_reference' => $batchReference, 'sha256' => hash('sha256', $file->bytes)];
        $read = static fn (Wire $body): Bulk => Bulk::of($body->object('msg'));
        return $this->write('/transaction/bulk', $parameters, $read, $file);
    }

    /** @throws MalipoException */
    public function bulkStatus(string $batchReference): Bulk
    {
        $read = static fn (Wire $body): Bulk => Bulk::of($body->object('msg'));
        return $this->read('/transaction/bulk/status', ['batch_reference' => $batchReference], $read);
    }

    /** @throws MalipoException */
    public function bulkResult(string $batchReference): Bulk
    {
        $parameters = ['batch_reference' => $batchReference, 'format' => 'json'];
        $read = static fn (Wire $body): Bulk
            => Bulk::of($body->object('msg'), array_map(BulkRow::of(...), $body->objects('data')));
        return $this->read('/transaction/bulk/result', $parameters, $read);
    }
}
