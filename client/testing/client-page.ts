import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../../src/testing/rigs/browser.ts';
import { openFirefox } from '../../src/testing/rigs/firefox.ts';

const CLIENT = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const HTML = '<!doctype html><title>client</title><script type=module src=page.js></script>';

/** What the page's script makes of the package: the global `client` of what runs in the page. */
export type Client = typeof import('../src/index.ts');

export const BROWSERS = ['Chromium', 'Firefox'] as const;
export type BrowserName = (typeof BROWSERS)[number];

/** A page with the built package, in a browser of its own. */
export interface ClientPage {
  /** Runs a function in the page, with one value that JSON can tell; so is what it returns. */
  run<Given, Result>(
    task: (given: Given) => Result | Promise<Result>,
    given: Given,
  ): Promise<Result>;
  /** What the page complained of. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** The script of all pages of this process. */
let script: Promise<string> | undefined;

/** The package as somebody bundles it who makes a page, in one script. */
async function bundled(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-page-'));
  try {
    const entry = join(folder, 'page.js');
    const code = `import * as client from ${JSON.stringify(CLIENT)};\nwindow.client = client;\n`;
    await writeFile(entry, code);
    // Loaded here, since it takes a while.
    const { build } = await import('vite');
    const lib = { entry, formats: ['es' as const] };
    const options = { configFile: false, root: folder, logLevel: 'error' } as const;
    const made = await build({ ...options, build: { write: false, lib } });
    const [output] = Array.isArray(made) ? made : [];
    const [chunk] = output?.output ?? [];
    if (chunk?.type !== 'chunk') throw new Error('no script was made');
    return chunk.code;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Serves the page at an address of its own, as those have who use the package. The test must not make the
 * page up in the browser: Chromium lets only what came from this machine open a WebSocket to it.
 */
async function servePage(): Promise<{ url: string; server: Server }> {
  script ??= bundled();
  const code = await script;
  const answer: RequestListener = ({ url }, response) => {
    const [type, body] = url === '/page.js' ? ['text/javascript', code] : ['text/html', HTML];
    response.writeHead(url === '/favicon.ico' ? 404 : 200, { 'Content-Type': type }).end(body);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const OPEN: Record<BrowserName, (url: string, twins: readonly string[]) => Promise<ClientPage>> = {
  async Chromium(url, twins) {
    const browser = await openBrowser([url, ...twins], { hasWebGL: false });
    const page = await browser.context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'client' in globalThis);
    return {
      run: (task, given) => page.evaluate(task as never, given) as never,
      complaints: browser.complaints,
      close: browser.close,
    };
  },
  async Firefox(url) {
    const { browser, close } = await openFirefox();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    await page.waitForFunction(() => 'client' in globalThis);
    return { run: (task, given) => page.evaluate(task as never, given), complaints, close };
  },
};

/**
 * Opens a page with the built package.
 * @param twins origins of the nodes that it may ask
 */
export async function openClientPage(
  name: BrowserName,
  twins: readonly string[],
): Promise<ClientPage> {
  const { url, server } = await servePage();
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  try {
    const opened = await OPEN[name](url, twins);
    return {
      ...opened,
      close: async () => {
        await opened.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
