<?php
// php score.php enquiry1

require __DIR__ . '/shop.php';

$answer = malipo()->genericScore([
    'requestReference' => $argv[1], // your own: the same reference gets the same answer
    'reportReason' => 2,
    'reportSector' => 2,
    'nationalID' => '900000001',
    'name1' => 'Amani',
    'name2' => 'Baraka',
    'name3' => 'Wanjiru',
]);
echo "score {$answer['score']['positiveScore']}, grade {$answer['score']['grade']}\n";
