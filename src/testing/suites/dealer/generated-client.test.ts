import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typesOf } from '../../../../client/generate.ts';
import { startTestNode, type TestNode } from '../../rigs/node.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const STRICT = [
  ...['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'],
  ...['--verbatimModuleSyntax', '--erasableSyntaxOnly', '--allowImportingTsExtensions'],
  ...['--target', 'es2024', '--lib', 'es2024', '--module', 'nodenext', '--types', 'node'],
];
const run = promisify(execFile);

type Service = 'dealer' | 'twin';

let node: TestNode;
let folder: string;
beforeAll(async () => {
  node = await startTestNode();
  folder = await mkdtemp(join(tmpdir(), 'generated-client-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(async () => {
  await node.discard();
  await rm(folder, { recursive: true });
});

const urlOf = (service: Service) => (service === 'dealer' ? node.dealerUrl : node.twinUrl);

async function documentOf(service: Service): Promise<string> {
  return (await fetch(`${urlOf(service)}/openapi.json`)).text();
}

/** A client's journey beside the types of a document: what the compiler says of them. */
async function compile(service: Service, document: string): Promise<string> {
  const journey = `${service}-journey.ts`;
  await writeFile(join(folder, `${service}.ts`), await typesOf(document));
  await copyFile(join(ROOT, 'client', journey), join(folder, journey));
  return run(process.execPath, [COMPILER, ...STRICT, journey], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** What the journey of a service comes to. */
async function journey(service: Service): Promise<unknown> {
  const { stdout } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    join(folder, `${service}-journey.ts`),
    urlOf(service),
  ]);
  return JSON.parse(stdout);
}

describe('a client generated from the document of the dealer platform', () => {
  test('[H16] signs up, logs in, completes its profile and locks its car', async () => {
    expect(await compile('dealer', await documentOf('dealer'))).toBe('');
    const owner = { email: 'generated@x.test', since: '2026-03-02', username: 'generated' };
    expect(await journey('dealer')).toMatchObject({
      dealer: 'fjallbilar',
      signedUp: { username: 'generated', phone: null, address: '', cars: [] },
      expiresInS: 28_800,
      faults: [{ loc: ['body', 'email'], type: 'value_error' }],
      profile: { phone: '+46 70 1', home_lat: 59.33, emergency_contact: null },
      car: { vin: 'GENERATED', dealer: 'fjallbilar', owner, locked: true, climate: false },
    });
  });

  test('does not compile where the document has lost what it reads or sends', async () => {
    const document = await documentOf('dealer');
    const lost = document.replaceAll('"expires_in"', '"ends_in"');
    expect(await compile('dealer', lost)).toMatch(/TS\d+: Property 'expires_in' does not exist/);
    const renamed = document.replaceAll('"since"', '"from"');
    expect(await compile('dealer', renamed)).toMatch(/TS\d+: .*'since' does not exist/);
  });
});

test('[H16] a client generated from the document of the twin makes a world and switches a feature', async () => {
  expect(await compile('twin', await documentOf('twin'))).toBe('');
  expect(await journey('twin')).toMatchObject({
    world: { city: 'old-town', seed: 7, rate_hz: 12.5 },
    telemetry: { speed: expect.any(Number) },
    features: { declared: { brakes: false, aeb: true }, effective: { aeb: 'degraded' } },
  });
});
