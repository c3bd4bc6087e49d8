import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium as driver } from 'playwright-core';

export interface TestBrowser {
  context: BrowserContext;
  /** What pages asked for elsewhere than at `origin`; it is refused. */
  foreign: string[];
  /** What pages complained of. */
  complaints: string[];
  close(): Promise<void>;
}

/** A browser whose pages get nothing but what one origin serves. */
export async function openBrowser(origin: string): Promise<TestBrowser> {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const foreign: string[] = [];
  const complaints: string[] = [];
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (new URL(url).origin === origin) return route.continue();
    foreign.push(url);
    return route.abort();
  });
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return { context, foreign, complaints, close: () => browser.close() };
}

async function launch(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  const libraries = await bundledLibraries();
  try {
    return await driver.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu'],
      env: {
        ...process.env,
        FONTCONFIG_PATH: join(tmpdir(), 'fonts'),
        LD_LIBRARY_PATH: [process.env.LD_LIBRARY_PATH, libraries].filter(Boolean).join(':'),
      },
    });
  } catch (error) {
    const hint = 'the test browser does not start; Debian: apt-get install libnss3 libexpat1';
    throw new Error(hint, { cause: error });
  }
}

/** The system's libraries that Chromium wants, as its package carries them. */
async function bundledLibraries(): Promise<string> {
  const folder = join(tmpdir(), 'al2023', 'lib');
  if (!existsSync(folder)) {
    const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'));
    await inflate(join(dirname(entry), '..', 'bin', 'al2023.tar.br'));
  }
  return folder;
}
