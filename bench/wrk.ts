import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inFreshDir } from './common/fresh-dir.ts';
import { formatRequest } from './common/http-pool.ts';
import { saturate } from './common/loops.ts';

/** One of the requests that a run repeats in turn. */
export interface Request {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

export interface Drive {
  perS: number;
  p99Ms: number;
}

const CONNECTION_COUNT = 64;
const run = promisify(execFile);

/** True where `wrk` is on the path: it asks less of the machine than a client in Node. */
export function hasWrk(): boolean {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // It answers --version with a usage message and status 1; only its absence has a code.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

/**
 * Requests a second over 64 keep-alive connections, each with one request under way. Throws where an
 * answer was an error.
 */
export function drive(
  useWrk: boolean,
  url: URL,
  requests: readonly Request[],
  seconds: number,
): Promise<Drive> {
  return useWrk ? withWrk(url, requests, seconds) : withOwnClient(url, requests, seconds);
}

function bytesOf(url: URL, { method, path, headers, body }: Request): Buffer {
  return formatRequest(url, method, path, headers, body);
}

async function withOwnClient(
  url: URL,
  requests: readonly Request[],
  seconds: number,
): Promise<Drive> {
  const { okPerS, latency } = await saturate(url, {
    width: CONNECTION_COUNT,
    seconds,
    requests: requests.map((request) => bytesOf(url, request)),
  });
  return { perS: okPerS, p99Ms: latency.p99Ms };
}

function withWrk(url: URL, requests: readonly Request[], seconds: number): Promise<Drive> {
  return inFreshDir(async (dir) => {
    const script = join(dir, 'requests.lua');
    await writeFile(script, luaScript(url, requests));
    const args = ['-t1', `-c${CONNECTION_COUNT}`, `-d${seconds}s`, '--latency', '-s', script];
    const { stdout } = await run('wrk', [...args, url.origin]);
    return parseWrk(stdout);
  });
}

/**
 * A single request is handed to wrk once, which then repeats its bytes by itself; several are made
 * ready before the run and handed out in turn.
 */
export function luaScript(url: URL, requests: readonly Request[]): string {
  const [only, ...others] = requests;
  if (only && others.length === 0) {
    const headers = Object.entries(only.headers ?? {}).map(
      ([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`,
    );
    const body = only.body
      ? [`wrk.body = ${quoted(only.body)}`, 'wrk.headers["Content-Type"] = "application/json"']
      : [];
    const line = [`wrk.method = ${quoted(only.method)}`, `wrk.path = ${quoted(only.path)}`];
    return [...line, ...headers, ...body].join('\n');
  }
  const lines = requests.map((request) => `  ${quoted(bytesOf(url, request).toString())},`);
  return [
    'local requests = {',
    ...lines,
    '}',
    'local turn = 0',
    'request = function()',
    '  turn = turn % #requests + 1',
    '  return requests[turn]',
    'end',
  ].join('\n');
}

/** ASCII without control characters but CR and LF is spelt alike in JSON and Lua. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

const UNIT_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Reads wrk's report. Throws where answers were errors or missing. */
export function parseWrk(report: string): Drive {
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(report)?.[0];
  if (failed) throw new Error(failed);
  const perS = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
  const [, p99 = '', unit = ''] = /\s99%\s+([\d.]+)(us|ms|s|m)\b/.exec(report) ?? [];
  const p99Ms = Number(p99) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(perS > 0) || Number.isNaN(p99Ms)) throw new Error(`no figures in: ${report}`);
  return { perS, p99Ms };
}
