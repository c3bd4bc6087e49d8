import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Asset,
  type AssetHeaders,
  assetOf,
  assetRoute,
  once,
  readAsset,
} from '../pages/assets.ts';
import type { Route } from '../server/router.ts';
import { asyncApiOf } from './asyncapi.ts';
import { openApiOf, type Service } from './openapi.ts';

export type DocsFiles = ReadonlyMap<string, Asset>;

/** Swagger UI uses inline styles, and data URLs for images. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
const HEADERS: AssetHeaders = { policy: POLICY, cache: 'no-cache' };
const PACKAGE_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
/** Contrast, a dark theme and room on a phone, which the page of the package has not. */
const STYLE = readFileSync(new URL('./docs.css', import.meta.url), 'utf8');
/** Instead of a text that the document withholds. */
const PLACEHOLDER = 'a long password';
const START = readFileSync(new URL('./start.js', import.meta.url), 'utf8');

/**
 * The OpenAPI document of a service, made at the first request, and Swagger UI for it, served by the
 * node itself.
 * @param packageFiles of `readDocsFiles`
 */
export function docsRoutes(
  service: Service,
  routes: readonly Route[],
  packageFiles: DocsFiles,
): Route[] {
  const { withheld } = service;
  const shown = (_: string, value: unknown) => (withheld?.has(value) ? PLACEHOLDER : value);
  const document = once(() =>
    assetOf('openapi.json', JSON.stringify(openApiOf(service, routes), shown), HEADERS),
  );
  const files = new Map(packageFiles);
  files.set('start.js', assetOf('start.js', START, HEADERS));
  files.set('docs.css', assetOf('docs.css', STYLE, HEADERS));
  const page = assetOf('docs.html', pageOf(service.title), HEADERS);
  return [
    documentationRoute('/openapi.json', 'getOpenApi', document),
    documentationRoute('/docs', 'getDocs', () => page),
    documentationRoute('/docs/{file}', 'getDocsFile', (file) => files.get(file)),
  ];
}

/** The AsyncAPI document of the stream, made at the first request: it names the listening address. */
export function streamDocsRoute(publicUrl: () => string): Route {
  const document = once(() =>
    assetOf('asyncapi.json', JSON.stringify(asyncApiOf(publicUrl())), HEADERS),
  );
  return documentationRoute('/asyncapi.json', 'getAsyncApi', document);
}

/** No document describes these routes, so they need no summary. */
function documentationRoute(
  path: string,
  operationId: string,
  find: (file: string) => Asset | undefined,
): Route {
  return assetRoute({ path, operationId, summary: '', tag: 'documentation' }, find);
}

/** The files of Swagger UI, shared by all services. */
export function readDocsFiles(): DocsFiles {
  const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  return new Map(PACKAGE_FILES.map((name) => [name, readAsset(join(folder, name), HEADERS)]));
}

function pageOf(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/docs.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<header class="docs-top">
<nav aria-label="Elsewhere">
<a href="/">Start page</a>
<a href="/openapi.json">OpenAPI document</a>
</nav>
</header>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}
