import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
} from 'playwright-core';

const VIEWPORT = { width: 1280, height: 900 };
/** The processor draws WebGL: there is nothing else on a machine that tests. */
const WITH_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
/** Pages cost a third less where no graphics are emulated. */
const WITHOUT_WEBGL = ['--disable-gpu', '--disable-software-rasterizer'];

export interface TestBrowser {
  context: BrowserContext;
  /** Another visitor, who is watched for the same. */
  visit(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** What pages asked for elsewhere than at `origins`; it is refused. */
  foreign: string[];
  /** What pages complained of. */
  complaints: string[];
  close(): Promise<void>;
}

/** A browser whose pages get nothing but what some origins serve. */
export async function openBrowser(
  origins: string | readonly string[],
  { hasWebGL }: { hasWebGL: boolean },
): Promise<TestBrowser> {
  const browser = await launch(hasWebGL ? WITH_WEBGL : WITHOUT_WEBGL);
  const foreign: string[] = [];
  const complaints: string[] = [];
  const visit = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: VIEWPORT, ...options });
    await context.route('**/*', (route) => {
      const url = route.request().url();
      if (origins.includes(new URL(url).origin)) return route.continue();
      foreign.push(url);
      return route.abort();
    });
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    return context;
  };
  return { context: await visit(), visit, foreign, complaints, close: () => browser.close() };
}

async function launch(graphics: readonly string[]): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  const libraries = await bundledLibraries();
  try {
    return await driver.launch({
      executablePath,
      args: ['--no-sandbox', ...graphics],
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
