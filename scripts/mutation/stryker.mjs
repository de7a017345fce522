// Found in the node_modules of this folder, which `npm run mutation` installs.
export { Stryker } from '@stryker-mutator/core';
