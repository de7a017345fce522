<?php

declare(strict_types=1);

// Loads the client without Composer.
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/../src/' . str_replace('\\', '/', substr($class, strlen('Malipo\\'))) . '.php';
    if (str_starts_with($class, 'Malipo\\') && is_file($file)) {
        require $file;
    }
});
