import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { ViteDevServer } from 'vite';
import type { DevNode, NodeUrls } from './dev-node.ts';

/** Vite adds styles by script; the policy of a page lets only those with this nonce in. */
export const STYLE_NONCE = 'dev';
/** The dealer platform serves its console at `/`, where the twin makes a world. */
export const CONSOLE_PATH = '/console/';

const WEB = fileURLToPath(new URL('../../src/web/', import.meta.url));
const SETTINGS = /<meta name="(demo-logins|twin-url)"[^>]*>/g;

interface Page {
  source: string;
  urlOf: (node: NodeUrls, path: string) => string;
}

const VIEWER: Page = {
  source: 'viewer/index.html',
  urlOf: ({ twin }, path) => twin + path,
};
const CONSOLE: Page = {
  source: 'console/index.html',
  urlOf: ({ dealer }) => `${dealer}/`,
};

function pageAt(path: string): Page | undefined {
  if (path.startsWith('/worlds/')) return VIEWER;
  return path.split('?')[0] === CONSOLE_PATH ? CONSOLE : undefined;
}

/**
 * Answers with a page as the node serves it (status, policy, settings), but with the source that
 * Vite serves in place of what was built. Resolves with false where the request asks for no page.
 */
export async function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  node: DevNode,
  vite: ViteDevServer,
): Promise<boolean> {
  const path = request.url ?? '/';
  const page = pageAt(path);
  if (page === undefined) return false;
  const built = await fetch(page.urlOf(await node.ready, path));
  const type = built.headers.get('Content-Type') ?? '';
  const body = await built.text();
  const policy = built.headers.get('Content-Security-Policy');
  if (policy !== null) response.setHeader('Content-Security-Policy', relaxed(policy, request));
  response.writeHead(built.status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(type.startsWith('text/html') ? await sourceOf(page, path, body, vite) : body);
  return true;
}

async function sourceOf({ source }: Page, path: string, built: string, vite: ViteDevServer) {
  const html = await readFile(WEB + source, 'utf8');
  const settings = (built.match(SETTINGS) ?? []).join('\n');
  return vite.transformIndexHtml(
    path,
    html.replace('</head>', () => `${settings}</head>`),
  );
}

/** Lets in what hot reload needs: styles with the nonce, and its WebSocket. */
function relaxed(policy: string, { headers }: IncomingMessage): string {
  return policy
    .replace("style-src 'self'", `style-src 'self' 'nonce-${STYLE_NONCE}'`)
    .replace("connect-src 'self'", `connect-src 'self' ws://${headers.host}`);
}
