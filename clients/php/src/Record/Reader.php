<?php

declare(strict_types=1);

namespace Malipo\Record;

use Malipo\Wire;

/**
 * Makes records of what the service answers below `/v1`: by the names and types of the parameters of
 * their constructors.
 *
 * @internal
 */
final class Reader
{
    /**
     * @template T of object
     * @param class-string<T> $class
     * @return T
     * @throws \UnexpectedValueException
     */
    public static function read(string $class, Wire $wire): object
    {
        $values = [];
        foreach ((new \ReflectionMethod($class, '__construct'))->getParameters() as $parameter) {
            $values[] = self::value($parameter, $wire);
        }
        return new $class(...$values);
    }

    /**
     * @template T of object
     * @param class-string<T> $class
     * @return list<T>
     * @throws \UnexpectedValueException
     */
    public static function readList(string $class, Wire $wire, string $name): array
    {
        return array_map(static fn (Wire $item): object => self::read($class, $item), $wire->objects($name));
    }

    private static function value(\ReflectionParameter $parameter, Wire $wire): mixed
    {
        $name = strtolower((string) preg_replace('/[A-Z]/', '_$0', $parameter->getName()));
        $type = $parameter->getType();
        if (!$type instanceof \ReflectionNamedType) {
            throw new \LogicException("$name has no single type");
        }
        if ($type->allowsNull() && !isset($wire->fields[$name])) {
            return null;
        }
        foreach ($parameter->getAttributes(ListOf::class) as $attribute) {
            return self::readList($attribute->newInstance()->class, $wire, $name);
        }
        return match ($type->getName()) {
            'string' => $wire->text($name),
            'int' => str_ends_with($name, '_cents') ? $wire->centsAsText($name) : $wire->number($name),
            'float' => $wire->decimal($name),
            'bool' => $wire->boolean($name),
            'array' => $wire->object($name)->fields,
            \DateTimeImmutable::class => $wire->instant($name),
            default => self::read(self::classOf($type), $wire->object($name)),
        };
    }

    /** @return class-string */
    private static function classOf(\ReflectionNamedType $type): string
    {
        $class = $type->getName();
        return class_exists($class) ? $class : throw new \LogicException("There is no class $class");
    }
}
