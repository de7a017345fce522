import { runCli } from './program.ts';

// The reader of our output may stop early, as `head` does. The command continues, because its exit
// code must be correct.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
});
// A command may have read only the first lines of it; open, it would keep the process.
process.stdin.destroy();
