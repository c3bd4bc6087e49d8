import { afterAll, afterEach, beforeAll } from 'vitest';
import { openBrowser, type TestBrowser } from './browser.ts';
import { startTestNode, type TestNode } from './node.ts';

export type Login = readonly [username: string, password: string];

/** Log-ins of the demo. */
export const ADMIN = ['admin', 'admin-demo'] as const;
export const DEALER = ['nordbil', 'dealer-demo'] as const;
export const CUSTOMER = ['anna', 'customer-demo'] as const;

export interface ServedConsole {
  readonly node: TestNode;
  readonly browser: TestBrowser;
}

/** A node and a browser for all tests of a file; each test has its pages to itself. */
export function serveConsole(): ServedConsole {
  const served = {} as { node: TestNode; browser: TestBrowser };
  beforeAll(async () => {
    served.node = await startTestNode();
    // The console shows how cars drive.
    const origins = [served.node.dealerUrl, served.node.twinUrl];
    served.browser = await openBrowser(origins, { hasWebGL: false });
  });
  afterAll(async () => {
    await served.browser.close();
    await served.node.discard();
  });
  afterEach(async () => {
    for (const page of served.browser.context.pages()) await page.close();
  });
  return served;
}
