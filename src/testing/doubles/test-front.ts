import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pino } from 'pino';
import { type FrontEnd, type FrontEndOptions, startFrontEnd } from '../../http/front-end.ts';
import { Metrics } from '../../metrics.ts';
import { systemRandom } from '../../random.ts';
import type { Schema } from '../../schema.ts';
import { FakeCluster } from './fake-cluster.ts';
import { FakeOperator } from './fake-operator.ts';
import { FakeTwin } from './fake-twin.ts';
import { TestTime } from './test-time.ts';

const built = (path: string) => fileURLToPath(new URL(`../../../build/${path}`, import.meta.url));

export interface TestFront extends FrontEnd {
  service: FakeTwin;
  operator: FakeOperator;
  /** Lines of the log, as JSON. */
  logLines: string[];
  /** The twin's port. */
  port: number;
  time: TestTime;
}

/**
 * A front end on free ports for worlds that do not move, without rate limits.
 * @param cluster undefined: all worlds are its own
 */
export function openTestFront(
  options: Partial<FrontEndOptions> = {},
  cluster?: FakeCluster,
): TestFront {
  const service = cluster?.service ?? new FakeTwin();
  const operator = new FakeOperator();
  const time = TestTime.standing();
  const logLines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => logLines.push(line) });
  const front = startFrontEnd(
    {
      host: '127.0.0.1',
      twinPort: 0,
      dealerPort: 0,
      opsHost: '127.0.0.1',
      opsPort: 0,
      publicTwinUrl: undefined,
      publicDealerUrl: undefined,
      tls: undefined,
      corsOrigins: '*',
      proxies: undefined,
      rateLimits: 'off',
      connectionsMax: 10_000,
      webFolder: built('web'),
      lockstepFiles: {
        kernel: built('kernel.wasm'),
        frames: built('frames.wasm'),
        cities: built('cities'),
      },
      demoLogins: [],
      kernelHash: 'c0ffee',
      cityKernels: new Map([['grid', 'c0ffee']]),
      ...options,
    },
    {
      ...{ service, cluster, operator },
      dealerRoutes: () => [],
      time,
      random: systemRandom,
      metrics: new Metrics(),
      log,
      trouble: () => undefined,
    },
  );
  const close = () => time.advanceUntil(front.close());
  const port = Number(new URL(front.twinUrl).port);
  return { ...front, close, service, operator, logLines, port, time };
}

/** A front end whose worlds other nodes may serve. */
export interface NodeFront extends TestFront {
  cluster: FakeCluster;
}

/** The front ends of two nodes of one cluster. */
export function openTestFronts(
  ofNear: Partial<FrontEndOptions> = {},
  ofFar: Partial<FrontEndOptions> = ofNear,
): { near: NodeFront; far: NodeFront; close(): Promise<void> } {
  const [nearCluster, farCluster] = FakeCluster.pair();
  const near = { ...openTestFront(ofNear, nearCluster), cluster: nearCluster };
  const far = { ...openTestFront(ofFar, farCluster), cluster: farCluster };
  const close = async () => {
    await Promise.all([near.close(), far.close()]);
  };
  return { near, far, close };
}

/** Everything that a server answers to these bytes until it ends the connection. */
export function sendRaw(port: number, ...parts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
    for (const part of parts) socket.write(part, 'latin1');
  });
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Fetches; parses a JSON body. */
export async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}

const ajv = new Ajv2020({ allowUnionTypes: true, validateFormats: false });

/** Violations of a schema; null if there are none. */
export function faultsOf(schema: Schema, value: unknown): unknown {
  const validate = ajv.compile(schema);
  return validate(value) ? null : validate.errors;
}
