import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const inClient = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The package as ES modules: for browsers and Node.js, for Node.js alone, and the command. */
export default defineConfig({
  root: inClient('.'),
  publicDir: false,
  build: {
    outDir: inClient('dist'),
    emptyOutDir: true,
    target: 'es2024',
    // Whoever bundles it makes it small; so far it is to be read.
    minify: false,
    lib: {
      entry: ['index', 'node', 'command'].map((name) => inClient(`src/${name}.ts`)),
      formats: ['es'],
    },
    rolldownOptions: {
      external: [/^node:/, 'openapi-fetch', '@msgpack/msgpack'],
      // Side by side: the assets are found from where a file is.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
