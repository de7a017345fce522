import { runCli } from './program.ts';

// Whoever reads our output may stop early, as `head` does. The command goes on all the same, since
// its exit code has to be true.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
