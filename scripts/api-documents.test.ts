import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { API_FOLDER, servedDocuments } from './api-documents.ts';

test('the snapshots in docs/api are what the node serves', async () => {
  const served = await servedDocuments();
  expect(
    readdirSync(API_FOLDER)
      .filter((name) => name.endsWith('.json'))
      .toSorted(),
  ).toEqual([...served.keys()].toSorted());
  const stale = [...served].filter(
    ([name, text]) => readFileSync(join(API_FOLDER, name), 'utf8') !== text,
  );
  expect(
    stale.map(([name]) => name),
    'run "npm run api" and commit docs/api',
  ).toEqual([]);
});
