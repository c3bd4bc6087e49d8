import { readFileSync, writeFileSync } from 'node:fs';

// Writes the compiled writer of frames as a JavaScript module, for clients that bundle it: its code belongs
// to the texts of `src/codec`, so no client may load it from a node of another version.

const BUILD = new URL('../build/', import.meta.url);

const base64 = readFileSync(new URL('frames.wasm', BUILD)).toString('base64');
writeFileSync(
  new URL('frames-module.js', BUILD),
  `/** build/frames.wasm in base64. */\nexport const FRAMES_WASM =\n  '${base64}';\n`,
);
writeFileSync(
  new URL('frames-module.d.ts', BUILD),
  '/** build/frames.wasm in base64. */\nexport declare const FRAMES_WASM: string;\n',
);
