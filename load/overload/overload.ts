import { formatLatencies, formatMs } from '../../bench/common/latencies.ts';
import { formatFailures } from '../../bench/common/loops.ts';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import type { Server } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';
import { Reference } from '../attack/reference.ts';
import { judge, requestCeiling } from '../calibrate.ts';
import { command, type Outcome } from '../command.ts';
import { gatherPatiently } from '../crowd.ts';
import { formatMiB, formatUsage, LoadMeter } from '../usage-meter.ts';
import { KINDS, Mix } from './mix.ts';
import { Users } from './users.ts';
import { judgeOverload, type Measured } from './verdict.ts';

const CEILING_CONNECTIONS = 64;
/** Of the highest rate. */
const UNLOADED_SHARE = 0.1;
const UNLOADED_SECONDS = 10;
const SETTLE_MS = 3000;

const options = {
  seconds: { fallback: 60, min: 1, max: 600, help: 'of overload' },
  rest: { fallback: 30, min: 0, max: 600, help: 'seconds after it, in which memory must return' },
  times: { fallback: 2, min: 1, max: 10, help: 'the highest rate' },
  worlds: { fallback: 100, min: 2, max: 2000, help: 'worlds, half of them watched' },
  connections: { fallback: 1024, min: 128, max: 16_000, help: 'connections that bring the load' },
} as const;

type Chosen = Options<typeof options>;

/** What a node does with more requests than it can answer. */
export const overload = command({
  summary: 'ask more than a node can answer: who waits, who is refused, how soon it is over',
  options,
  measures: [],
  run,
});

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const toolCeiling = await requestCeiling(CEILING_CONNECTIONS);
  const worlds = await makeWorlds(server.url, chosen.worlds);
  const watched = worlds.filter((_, i) => i % 2 === 0).map(({ id }) => `/ws/worlds/${id}`);
  const { crowd } = await gatherPatiently(server.url, watched);
  const users = await Users.connect(server, new Mix(server.url, worlds), chosen.connections);
  const reference = await Reference.start();
  try {
    const { ownShare, usage, ...measured } = await measure(users, chosen, { server, reference });
    const { sent, seconds } = measured.overloaded;
    const tool = judge(toolCeiling, sent / seconds, ownShare);
    const rows = rowsOf(measured);
    rows.push(['server used', formatUsage(usage)], ['load generator', tool.text]);
    return { rows, judged: judgeOverload(measured), figures: { measured, usage, tool } };
  } finally {
    await reference.stop();
    users.leave();
    crowd.close();
  }
}

async function measure(
  users: Users,
  { seconds, times, rest }: Chosen,
  { server, reference }: { server: Server; reference: Reference },
) {
  const highestPerS = await users.highestRate();
  await systemTime.sleep(SETTLE_MS);
  const lightPerS = Math.max(1, Math.round(highestPerS * UNLOADED_SHARE));
  const unloaded = await users.ask(lightPerS, UNLOADED_SECONDS);
  const before = rssBytesOf(server);
  const meter = new LoadMeter(server);
  const asking = users.ask(Math.round(times * highestPerS), seconds);
  const [overloaded, machine] = await Promise.all([asking, reference.measure(asking)]);
  const [usage, ownShare] = [meter.server(), meter.ownShare()];
  const endMs = systemTime.now() + 1000 * rest;
  const recoveredS = await users.recover(lightPerS, unloaded.latency.p99Ms);
  await systemTime.sleep(Math.max(0, endMs - systemTime.now()));
  const rssBytes = { before, after: rssBytesOf(server) };
  return { highestPerS, unloaded, overloaded, machine, recoveredS, rssBytes, usage, ownShare };
}

/** NaN, which no bound allows, where the process is unknown. */
function rssBytesOf(server: Server): number {
  return new LoadMeter(server).server()?.rssBytes ?? Number.NaN;
}

function rowsOf({ highestPerS, unloaded, overloaded, machine, rssBytes }: Measured) {
  const rows: Outcome['rows'] = [
    ['highest rate', `${Math.round(highestPerS)}/s`],
    ['without load', formatLatencies(unloaded.latency)],
  ];
  const byKind = ({ accepted }: Measured['overloaded']) =>
    KINDS.map((kind) => `${kind} ${formatMs(accepted[kind].p99Ms)}`).join(', ');
  rows.push(
    ['  p99 of each', byKind(unloaded)],
    ['sent in overload', `${Math.round(overloaded.sent / overloaded.seconds)}/s`],
    ['accepted', formatLatencies(overloaded.latency)],
    ['  p99 of each', byKind(overloaded)],
    ['refused', `${overloaded.refused.count}: ${formatLatencies(overloaded.refused)}`],
    ['failed or refused', formatFailures(overloaded.failures)],
    ['sent late by', formatLatencies(overloaded.sendDelay)],
    ['users of an empty server', `p99 ${formatMs(machine.readP99Ms)}`],
    ['memory', `${formatMiB(rssBytes.before)}, afterwards ${formatMiB(rssBytes.after)}`],
  );
  return rows;
}
