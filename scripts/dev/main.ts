import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createServer as createVite, type ProxyOptions, type ViteDevServer } from 'vite';
import { systemTime } from '../../src/time.ts';
import { DevNode } from './dev-node.ts';
import { CONSOLE_PATH, STYLE_NONCE, servePage } from './pages.ts';
import { Rebuilder } from './rebuilds.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PORT = '5173';
const WATCHED = ['assembly', 'src', 'workers'].map((folder) => ROOT + folder);

/** Serves both pages and all of the node at one address, with hot reload, until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: PORT } } });
  const server = createServer();
  server.listen(Number(values.port), '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const node = new DevNode({ PUBLIC_TWIN_URL: url });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  if (!(await node.start())) process.exit(1);
  const vite = await openVite(server, node);
  watch(vite, node);
  process.stdout.write(`ready viewer=${url}/ console=${url}${CONSOLE_PATH}\n`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  await node.stop();
  await vite.close();
  server.close();
  server.closeAllConnections();
  process.exit();
}

async function openVite(server: Server, node: DevNode): Promise<ViteDevServer> {
  const vite = await createVite({
    configFile: `${ROOT}vite.config.ts`,
    appType: 'custom',
    html: { cspNonce: STYLE_NONCE },
    server: { middlewareMode: { server }, hmr: { server }, proxy: proxyOf(node) },
    logLevel: 'warn',
  });
  server.on('request', (request, response) => {
    servePage(request, response, node, vite).then(
      (isPage) => isPage || vite.middlewares(request, response),
      (error: unknown) => response.writeHead(502).end(String(error)),
    );
  });
  return vite;
}

/** The twin has `/` and the documentation; the dealer platform has the rest of `/api`. */
function proxyOf(node: DevNode): Record<string, ProxyOptions> {
  return {
    '^/(\\?.*)?$': proxyTo(node, 'twin'),
    '^/(docs|openapi\\.json|asyncapi\\.json|api/v1)': proxyTo(node, 'twin'),
    '^/ws/': { ...proxyTo(node, 'twin'), ws: true },
    '^/api/': proxyTo(node, 'dealer'),
  };
}

/** Requests wait while the node restarts, and follow it to its new address. */
function proxyTo(node: DevNode, service: 'twin' | 'dealer'): ProxyOptions {
  let live: ProxyOptions = {};
  return {
    configure: (_, options) => {
      live = options;
    },
    bypass: async () => {
      live.target = (await node.ready)[service];
    },
  };
}

function watch(vite: ViteDevServer, node: DevNode): void {
  const rebuilder = new Rebuilder(systemTime, async () => {
    const isUp = await node.restart();
    process.stdout.write(isUp ? 'the node restarted\n' : 'the node waits for a change\n');
  });
  vite.watcher.add(WATCHED);
  vite.watcher.on('all', (_, path) => {
    void rebuilder.changed(relative(ROOT, path).replaceAll(sep, '/'));
  });
}

await main();
