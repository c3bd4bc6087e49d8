import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pino } from 'pino';
import { type Clock, NodeClock } from '../../clock.ts';
import { type FrontEnd, type FrontEndOptions, startFrontEnd } from '../../http/front.ts';
import type { Schema } from '../../http/twin/schemas.ts';
import { Metrics } from '../../metrics.ts';
import { systemTime } from '../../time.ts';
import { FakeTwin } from './fake-twin.ts';

export interface TestFront extends FrontEnd {
  service: FakeTwin;
  /** Lines of the log, as JSON. */
  logLines: string[];
  /** The twin's port. */
  port: number;
}

/** A front end on free ports before worlds that stand still, without rate limits. */
export function openTestFront(
  options: Partial<FrontEndOptions> = {},
  clock: Clock = new NodeClock(systemTime),
): TestFront {
  const service = new FakeTwin();
  const logLines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => logLines.push(line) });
  const front = startFrontEnd(
    {
      host: '127.0.0.1',
      twinPort: 0,
      dealerPort: 0,
      opsHost: '127.0.0.1',
      opsPort: 0,
      corsOrigins: '*',
      rateLimits: 'off',
      webFolder: fileURLToPath(new URL('../../../build/web', import.meta.url)),
      demoLogins: [],
      kernelHash: 'c0ffee',
      ...options,
    },
    { service, dealerRoutes: () => [], clock, metrics: new Metrics(), log },
  );
  return { ...front, service, logLines, port: Number(new URL(front.twinUrl).port) };
}

/** What a server says to these bytes until it ends the connection. */
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

/** Waits for something to be there, or true. */
export async function until<T>(look: () => T): Promise<NonNullable<T>> {
  for (;;) {
    const found = look();
    if (found) return found;
    await setTimeout(5);
  }
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Asks for JSON. */
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

/** What is wrong with a value by a schema; null where nothing is. */
export function faultsOf(schema: Schema, value: unknown): unknown {
  const validate = ajv.compile(schema);
  return validate(value) ? null : validate.errors;
}
