import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_FOLDER, servedDocuments } from './api-documents.ts';

mkdirSync(API_FOLDER, { recursive: true });
for (const [name, text] of await servedDocuments()) writeFileSync(join(API_FOLDER, name), text);
