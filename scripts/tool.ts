import { runTool } from './tools/tools.ts';

/** `node scripts/tool.ts <tool> …`: runs a linter or the formatter, which the first run installs. */
const [, , command = '', ...args] = process.argv;
process.exitCode = await runTool(command, args);
