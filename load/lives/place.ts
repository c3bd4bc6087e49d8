import {
  BROWSERS,
  type Client,
  type ClientPage,
  openClientPage,
} from '../../client/testing/client-page.ts';

export const PLACES = [...BROWSERS, 'Node.js'] as const;
export type PlaceName = (typeof PLACES)[number];

/** Where worlds live beside the nodes: a page of a browser, or this process. */
export interface Place extends Pick<ClientPage, 'run' | 'close'> {
  readonly name: PlaceName;
}

/** The built package, so that all places run the same code. */
const PACKAGE = new URL('../../client/dist/index.js', import.meta.url);

/** @param twins origins of the nodes that it may ask */
export async function openPlace(name: PlaceName, twins: readonly string[]): Promise<Place> {
  if (name !== 'Node.js') {
    const { run, close } = await openClientPage(name, twins);
    return { name, run, close };
  }
  Object.assign(globalThis, { client: (await import(PACKAGE.href)) as Client });
  return { name, run: async (task, given) => task(given), close: async () => {} };
}
