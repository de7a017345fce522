import { lazyRouteComponent } from '@tanstack/react-router';
import { askConnection } from '../api/client.ts';
import { currentConnection, untilConnected } from '../api/connection.ts';

/**
 * A page whose code is loaded when it is first opened. If that fails, the router loads the whole page
 * again, which is right after an update of the service. While the service is away, the browser would
 * show an error of its own instead, so the page that is open stays until the service is back.
 */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importer();
    } catch (error) {
      await askConnection();
      if (currentConnection() === 'good') throw error;
      await untilConnected();
      throw new Error(`${FAILED_IMPORT} ${Date.now()}`, { cause: error });
    }
  }, name);

/** By this beginning the router knows the error. It loads the page once for each text. */
const FAILED_IMPORT = 'Failed to fetch dynamically imported module';
