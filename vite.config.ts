import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const inRoot = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The viewer and the dealer console, as static files that the node serves. */
export default defineConfig({
  root: inRoot('src/web'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: inRoot('build/web'),
    emptyOutDir: true,
    // The policy of the pages allows no data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        viewer: inRoot('src/web/viewer/index.html'),
        console: inRoot('src/web/console/index.html'),
      },
    },
  },
});
