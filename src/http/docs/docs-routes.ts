import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TwinError } from '../../errors.ts';
import { type Asset, type AssetHeaders, assetOf, fresh, readAsset } from '../pages/assets.ts';
import type { Route } from '../server/router.ts';
import { asyncApiOf } from './asyncapi.ts';
import { openApiOf, type Service } from './openapi.ts';

export type DocsFiles = ReadonlyMap<string, Asset>;

/** Swagger UI styles elements one by one, and has its pictures in its style sheet. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
const HEADERS: AssetHeaders = { policy: POLICY, cache: 'no-cache' };
const PACKAGE_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const START = `window.addEventListener('load', () => {
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#docs',
    deepLinking: true,
    persistAuthorization: true,
    validatorUrl: null,
  });
});
`;

/**
 * The OpenAPI document of a service, and Swagger UI for it, all of it served from here.
 * @param packageFiles of `readDocsFiles`
 */
export function docsRoutes(
  service: Service,
  routes: readonly Route[],
  packageFiles: DocsFiles,
): Route[] {
  const text = JSON.stringify(openApiOf(service, routes));
  const document = assetOf('openapi.json', text, HEADERS);
  const files = new Map(packageFiles);
  files.set('start.js', assetOf('start.js', START, HEADERS));
  const page = assetOf('docs.html', pageOf(service.title), HEADERS);
  return [
    assetRoute(
      '/openapi.json',
      'getOpenApi',
      'This interface as an OpenAPI document',
      () => document,
    ),
    assetRoute('/docs', 'getDocs', 'This interface, to read and to try', () => page),
    {
      ...assetRoute('/docs/{file}', 'getDocsFile', 'A file of the page', ([name = '']) =>
        files.get(name),
      ),
      params: { file: { type: 'string' } },
      errors: ['not_found'],
    },
  ];
}

/**
 * The AsyncAPI document of the stream, made when it is first asked for: before the node listens, its
 * address may not be known.
 */
export function streamDocsRoute(publicUrl: () => string): Route {
  let document: Asset | undefined;
  return assetRoute('/asyncapi.json', 'getAsyncApi', 'The stream as an AsyncAPI document', () => {
    document ??= assetOf('asyncapi.json', JSON.stringify(asyncApiOf(publicUrl())), HEADERS);
    return document;
  });
}

function assetRoute(
  path: string,
  operationId: string,
  summary: string,
  find: (params: readonly string[]) => Asset | undefined,
): Route {
  return {
    method: 'GET',
    path,
    operationId,
    summary,
    tag: 'documentation',
    auth: 'none',
    answers: { 200: { description: summary }, 304: { description: 'You have it' } },
    errors: [],
    handle: (call) => {
      const asset = find(call.params);
      if (asset === undefined) throw new TwinError('not_found');
      return fresh(asset, call);
    },
  };
}

/** The files of Swagger UI, which all services share. */
export function readDocsFiles(): DocsFiles {
  const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  return new Map(PACKAGE_FILES.map((name) => [name, readAsset(join(folder, name), HEADERS)]));
}

function pageOf(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}
