import https from 'node:https';
import net from 'node:net';

/**
 * Leads every new HTTPS request of this process to a local server, without TLS, for clients whose hosts are fixed.
 * Nothing leaves the machine. Returns a function that ends it.
 */
export function leadHttpsTo(origin: string): () => void {
  const { hostname, port } = new URL(origin);
  const before = https.globalAgent;
  const agent = new https.Agent({ keepAlive: false });
  agent.createConnection = () => net.connect(Number(port), hostname);
  https.globalAgent = agent;
  return () => {
    https.globalAgent = before;
  };
}
