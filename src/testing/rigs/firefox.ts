import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import puppeteer, { type Browser } from 'puppeteer-core';

/** Firefox draws on a display in memory, by the processor. */
const SCREEN = '1280x900x24';
const SOFTWARE = { LIBGL_ALWAYS_SOFTWARE: '1' };
const PREFERENCES = { 'webgl.force-enabled': true, 'webgl.disabled': false };
/** Where the number of the display is written. */
const NUMBER_FD = 3;

const MISSING = ['firefox-esr', 'Xvfb'].filter((program) => pathOf(program) === undefined);
/** Whether tests open Firefox. In CI they must, and fail if there is none. */
export const HAS_FIREFOX = process.env.CI === 'true' || MISSING.length === 0;
if (!HAS_FIREFOX)
  console.warn(`not installed: ${MISSING.join(', ')}; what is seen in Firefox is not tested`);

export interface TestFirefox {
  browser: Browser;
  close(): Promise<void>;
}

/** Firefox with WebGL, on a display of its own. */
export async function openFirefox(): Promise<TestFirefox> {
  const display = await openDisplay();
  try {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: pathOf('firefox-esr') ?? missing('firefox-esr'),
      headless: false,
      env: { ...process.env, ...SOFTWARE, DISPLAY: `:${display.number}` },
      extraPrefsFirefox: PREFERENCES,
    });
    const close = async () => {
      try {
        await browser.close();
      } finally {
        await display.close();
      }
    };
    return { browser, close };
  } catch (error) {
    await display.close();
    throw error;
  }
}

async function openDisplay(): Promise<{ number: number; close(): Promise<void> }> {
  const args = ['-displayfd', String(NUMBER_FD), '-screen', '0', SCREEN, '-nolisten', 'tcp'];
  const server = spawn(pathOf('Xvfb') ?? missing('xvfb'), args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const pipe = server.stdio[NUMBER_FD] as Readable;
  const [text] = (await Promise.race([once(pipe, 'data'), ended(server)])) as [Buffer];
  return {
    number: Number(String(text).trim()),
    close: async () => {
      const gone = once(server, 'exit');
      server.kill();
      await gone;
    },
  };
}

async function ended(server: ChildProcess): Promise<never> {
  await once(server, 'exit');
  throw new Error('the display of the test browser does not start');
}

function missing(name: string): never {
  throw new Error(`${name} is not installed; Debian: apt-get install ${name}`);
}

/** A program that this machine has. */
function pathOf(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
