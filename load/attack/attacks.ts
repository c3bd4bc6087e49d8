import { bodies, chunks, slowBodies } from './bodies.ts';
import { connections, slowHeads } from './connections.ts';
import { fleet } from './fleet.ts';
import {
  crowds,
  documents,
  heads,
  logins,
  methods,
  unread,
  unreadMaps,
  upgrades,
  vins,
} from './floods.ts';
import type { Attack } from './hostile-client.ts';
import { incidents, journal } from './large-answers.ts';
import { overload } from './overload.ts';
import { pastStates } from './past-states.ts';
import { calls, pipeline, strays, unreadBodyless, unreadSmall } from './requests.ts';
import { continuation, pings, silentStreams } from './streams.ts';

/** What one hostile process can do. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  chunks,
  pipeline,
  calls,
  'unread-small': unreadSmall,
  'unread-bodyless': unreadBodyless,
  bodies,
  'slow-bodies': slowBodies,
  strays,
  incidents,
  journal,
  fleet,
  continuation,
  pings,
  'silent-streams': silentStreams,
  connections,
  overload,
  'slow-heads': slowHeads,
  heads,
  methods,
  documents,
  unread,
  'unread-maps': unreadMaps,
  vins,
  logins,
  upgrades,
  crowds,
  'past-states': pastStates,
};

/** Attacks by several processes at once. */
const MIXES: readonly (readonly string[])[] = [
  ['chunks', 'pipeline'],
  ['bodies', 'journal', 'continuation'],
  ['incidents', 'fleet'],
];

/** What a node is put to: the attacks of each case, one process each. */
export const CASES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(ATTACKS).map((name) => [name, [name]])),
  // The descriptors of one process are fewer than the connections that a node has.
  connections: ['connections', 'connections'],
  ...Object.fromEntries(MIXES.map((names) => [names.join('+'), names])),
};

/** One line a case. */
export function describeCases(): string {
  const lines = Object.entries(CASES).map(([name, [attack = '']]) => {
    const summary = ATTACKS[name] ? ATTACKS[attack]?.summary : 'at once';
    return `  ${name.padEnd(27)} ${summary}`;
  });
  return lines.join('\n');
}
