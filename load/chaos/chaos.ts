import type { Figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import type { Options } from '../../bench/common/options.ts';
import { UsageError } from '../../bench/common/usage-error.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { CLOCK_OF_NODE, CLOCK_OF_REDIS } from './clock-rows.ts';
import { LINK_ROWS } from './link-rows.ts';
import { REDIS_ROWS } from './redis-rows.ts';
import { type Found, formatFound, type Group, observe } from './row.ts';
import { SENTINEL } from './sentinel-row.ts';
import { onStage } from './stage.ts';

const options = {
  only: { fallback: [] as readonly string[], help: 'a row; may be given more than once' },
  lease: { fallback: 6, min: 1, max: 60, help: 'LEASE_SECONDS' },
  worlds: { fallback: 12, min: 1, max: 1000, help: 'watched worlds, whose cars are changed' },
} as const;

type Chosen = Options<typeof options>;

interface Result {
  name: string;
  found: Found;
  judged: Figure[];
}

const PLAIN_ROWS = [...REDIS_ROWS, ...LINK_ROWS, CLOCK_OF_REDIS];
const PLAIN: Group = {
  names: PLAIN_ROWS.map(({ name }) => name),
  on: (stage, work) => onStage(stage, (made) => work(made, PLAIN_ROWS)),
};

const GROUPS: readonly Group[] = [PLAIN, SENTINEL, CLOCK_OF_NODE];

/** Faults of Redis, of the links between nodes and of clocks, and what clients meet. */
export const chaos = commandWithNodes({
  summary: 'faults of Redis, links and clocks under three nodes: what clients meet, what is lost',
  options,
  measures: [],
  run: (chosen) => inFreshDir((dir) => runRows(chosen, dir)),
});

async function runRows(chosen: Chosen, dir: string): Promise<Outcome> {
  const results: Result[] = [];
  const { only, lease, worlds } = chosen;
  const isWanted = (name: string) => only.length === 0 || only.includes(name);
  const names = GROUPS.flatMap((group) => group.names);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new UsageError(`no row is called ${unknown}: ${names.join(', ')}`);
  const groups = GROUPS.filter((each) => each.names.some(isWanted));
  for (const { check } of groups) check?.();
  for (const group of groups) {
    await group.on({ dir, lease, worlds }, async (made, all) => {
      for (const row of all.filter(({ name }) => isWanted(name))) {
        const found = await observe(made, row);
        const judged = row.judged(found);
        results.push({ name: row.name, found, judged });
        console.log(formatFound(row.name, found, judged));
      }
    });
  }
  const judged = results.flatMap(({ name, judged: figures }) =>
    figures.map((figure) => ({ ...figure, name: `${name}: ${figure.name}` })),
  );
  const rows: Outcome['rows'] = [['faults', String(results.length)]];
  return { rows, judged, figures: { results } };
}
