import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { schemaTypesOf, typesOf } from '../client/generate.ts';

// Writes the types of what both services send and take, and of their calls, from the snapshots of their
// documents.

const SNAPSHOTS = fileURLToPath(new URL('../docs/api/', import.meta.url));
const TYPES = fileURLToPath(new URL('../build/api/', import.meta.url));

/** The stream's messages share their schemas with the answers of the twin. */
const SOURCES = {
  dealer: ['dealer.openapi.json'],
  twin: ['twin.openapi.json', 'twin.asyncapi.json'],
};

mkdirSync(TYPES, { recursive: true });
for (const [service, names] of Object.entries(SOURCES)) {
  const schemas = names.map((name) => {
    const document = JSON.parse(readFileSync(join(SNAPSHOTS, name), 'utf8'));
    return document.components.schemas as Parameters<typeof schemaTypesOf>[0];
  });
  const types = await schemaTypesOf(Object.assign({}, ...schemas));
  writeFileSync(join(TYPES, `${service}.d.ts`), types);
  const document = readFileSync(join(SNAPSHOTS, `${service}.openapi.json`), 'utf8');
  writeFileSync(join(TYPES, `${service}-paths.d.ts`), await typesOf(document));
}
