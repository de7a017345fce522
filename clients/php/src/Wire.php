<?php

declare(strict_types=1);

namespace Malipo;

/** Reads the fields of a JSON object of the service. Fields that are not asked for are ignored. */
final class Wire
{
    /** @param array<mixed> $fields */
    public function __construct(public readonly array $fields)
    {
    }

    public function text(string $name): string
    {
        $value = $this->fields[$name] ?? null;
        return is_string($value) ? $value : throw $this->missing($name);
    }

    public function textOrNull(string $name): ?string
    {
        $value = $this->fields[$name] ?? null;
        return is_string($value) ? $value : null;
    }

    public function number(string $name): int
    {
        $value = $this->fields[$name] ?? null;
        return is_int($value) ? $value : throw $this->missing($name);
    }

    /** `"true"` or `"false"`. */
    public function flag(string $name): bool
    {
        return $this->text($name) === 'true';
    }

    public function cents(string $name): int
    {
        return Money::centsOf($this->fields[$name] ?? null);
    }

    public function centsOrNull(string $name): ?int
    {
        return isset($this->fields[$name]) ? $this->cents($name) : null;
    }

    /** Cents as integer text. */
    public function centsAsText(string $name): int
    {
        $text = $this->text($name);
        return preg_match('/^-?\d{1,18}\z/', $text) === 1 ? (int) $text : throw $this->missing($name);
    }

    public function decimal(string $name): float
    {
        $value = $this->fields[$name] ?? null;
        return is_int($value) || is_float($value) ? (float) $value : throw $this->missing($name);
    }

    public function boolean(string $name): bool
    {
        $value = $this->fields[$name] ?? null;
        return is_bool($value) ? $value : throw $this->missing($name);
    }

    /** A time in ISO 8601, in UTC. */
    public function instant(string $name): \DateTimeImmutable
    {
        $zone = new \DateTimeZone('UTC');
        $time = \DateTimeImmutable::createFromFormat('!Y-m-d\TH:i:s.u\Z', $this->text($name), $zone);
        return $time === false ? throw $this->missing($name) : $time;
    }

    public function time(string $name): \DateTimeImmutable
    {
        return Time::of($this->text($name));
    }

    public function timeOrNull(string $name): ?\DateTimeImmutable
    {
        return isset($this->fields[$name]) ? $this->time($name) : null;
    }

    public function object(string $name): self
    {
        $value = $this->fields[$name] ?? null;
        return is_array($value) ? new self($value) : throw $this->missing($name);
    }

    /** @return list<self> */
    public function objects(string $name): array
    {
        $objects = [];
        foreach ($this->object($name)->fields as $value) {
            $objects[] = is_array($value) ? new self($value) : throw $this->missing($name);
        }
        return $objects;
    }

    /** @return array<string, string> */
    public function texts(string $name): array
    {
        $texts = [];
        foreach (isset($this->fields[$name]) ? $this->object($name)->fields : [] as $key => $value) {
            if (is_string($value)) {
                $texts[(string) $key] = $value;
            }
        }
        return $texts;
    }

    private function missing(string $name): \UnexpectedValueException
    {
        return new \UnexpectedValueException("The response lacks $name");
    }
}
