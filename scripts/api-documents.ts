import { fileURLToPath } from 'node:url';
import { startTestNode } from '../src/testing/rigs/node.ts';

/** Where the snapshots of the documents are kept. */
export const API_FOLDER = fileURLToPath(new URL('../docs/api/', import.meta.url));

/** The documents name the address of the twin: this is the one of the default settings. */
const PUBLIC_TWIN_URL = 'http://127.0.0.1:8080';

interface Document {
  components: { schemas: Record<string, object> };
}

/** The documents that a node with default settings serves, as text by file name. */
export async function servedDocuments(): Promise<Map<string, string>> {
  const node = await startTestNode({ PUBLIC_TWIN_URL });
  const read = async (url: string) => textOf((await (await fetch(url)).json()) as Document);
  try {
    return new Map([
      ['dealer.openapi.json', await read(`${node.dealerUrl}/openapi.json`)],
      ['twin.openapi.json', await read(`${node.twinUrl}/openapi.json`)],
      ['twin.asyncapi.json', await read(`${node.twinUrl}/asyncapi.json`)],
    ]);
  } finally {
    await node.discard();
  }
}

/** Sorts the schemas: their order in the document depends on how the modules were loaded. */
function textOf(document: Document): string {
  const names = Object.keys(document.components.schemas).toSorted();
  const schemas = Object.fromEntries(
    names.map((name) => [name, document.components.schemas[name]]),
  );
  const components = { ...document.components, schemas };
  return `${JSON.stringify({ ...document, components }, null, 2)}\n`;
}
