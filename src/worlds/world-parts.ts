import type { World } from '../twin-service.ts';
import type { CrashLoopGuard } from './crash-loop-guard.ts';
import type { EncodingDemand } from './encoding-demand.ts';
import type { ImageLadder } from './image-ladder.ts';
import type { WorldRecord } from './records.ts';
import type { Residency } from './residency.ts';
import type { WorldDependencies } from './world-dependencies.ts';
import type { WorldJournal } from './world-journal.ts';
import type { WorldReports } from './world-reports.ts';
import type { WorldTicks } from './world-ticks.ts';

/** The objects that the classes of one world share. */
export interface WorldParts {
  readonly world: World;
  readonly record: WorldRecord;
  readonly ticks: WorldTicks;
  readonly residency: Residency;
  readonly journal: WorldJournal;
  readonly reports: WorldReports;
  readonly ladder: ImageLadder;
  readonly demand: EncodingDemand;
  readonly guard: CrashLoopGuard;
  readonly shared: WorldDependencies;
}
