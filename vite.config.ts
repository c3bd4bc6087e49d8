import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { writeCompressedCopies } from './scripts/compressed-copies.ts';
import { noticesText, shippedPackages } from './scripts/third-party-notices.ts';

const inRoot = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The viewer, the dealer console, and the pages of the cluster and of what is not found, as static files. */
export default defineConfig({
  root: inRoot('src/web'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [thirdPartyNotices(), compressedAssets()],
  worker: { format: 'es' },
  build: {
    outDir: inRoot('build/web'),
    emptyOutDir: true,
    // The policy of the pages allows no data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        viewer: inRoot('src/web/viewer/index.html'),
        console: inRoot('src/web/console/index.html'),
        cluster: inRoot('src/web/cluster/index.html'),
        'not-found': inRoot('src/web/not-found/index.html'),
      },
    },
  },
});

/** Writes the licences of everything that the pages contain and that a node runs. */
function thirdPartyNotices(): Plugin {
  return {
    name: 'third-party-notices',
    apply: 'build',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((each) =>
        each.type === 'chunk' ? each.moduleIds : [],
      );
      this.emitFile({
        type: 'asset',
        fileName: 'THIRD-PARTY-NOTICES.txt',
        source: noticesText(shippedPackages(inRoot('.'), modules)),
      });
    },
  };
}

/** Pictures are compressed already; the node compresses the pages, since it adds settings to them. */
const COMPRESSIBLE = /^assets\/.*\.(js|css|svg)$|\.txt$/;

function compressedAssets(): Plugin {
  return {
    name: 'compressed-assets',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((each) => COMPRESSIBLE.test(each));
      await writeCompressedCopies(names.map((name) => join(dir, name)));
    },
  };
}
