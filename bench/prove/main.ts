/** Proves that features matter and that no car collides with all of them: `npm run prove`. */
import { systemTime } from '../../src/time.ts';
import { runEntryPoint } from '../common/options.ts';
import { runAttribution } from './attribution.ts';
import { attributionSection } from './attribution-report.ts';
import { GROUPS } from './manoeuvre-runs.ts';
import { runManoeuvres } from './manoeuvres.ts';
import { manoeuvresSection } from './manoeuvres-report.ts';
import { runMotion } from './motion.ts';
import { motionSection } from './motion-report.ts';
import { HELP, optionsFrom, type Part, type ProveOptions } from './options.ts';
import { openProvePool, type ProvePool } from './prove-pool.ts';
import { terminalSection, writeReport } from './report.ts';
import { runScenes } from './scenes.ts';
import { scenesSection } from './scenes-report.ts';
import { missedMarks, type Section } from './section.ts';
import { runStakes } from './stakes.ts';
import { stakesSection } from './stakes-report.ts';
import { runSweep } from './sweep.ts';
import { sweepSection } from './sweep-report.ts';
import { runVerdicts } from './verdicts.ts';
import { verdictsSection } from './verdicts-report.ts';

type Proof = (pool: ProvePool, options: ProveOptions) => Promise<Section>;

const PROOFS: Readonly<Record<Part, Proof>> = {
  manoeuvres: async (pool) => manoeuvresSection(await runManoeuvres(pool), GROUPS),
  motion: async (_, options) => motionSection(runMotion(options)),
  sweep: async (pool, options) => sweepSection(await runSweep(pool, options)),
  scenes: async (pool, options) => scenesSection(await runScenes(pool, options)),
  stakes: async (pool, options) => stakesSection(await runStakes(pool, options)),
  attribution: async (pool, options) => attributionSection(await runAttribution(pool, options)),
  verdicts: async (_, options) => verdictsSection(await runVerdicts(options)),
};

await runEntryPoint(HELP, async (args) => {
  const options = optionsFrom(args);
  const startMs = systemTime.now();
  const pool = openProvePool(options.threads);
  const sections: Section[] = [];
  let path = '';
  try {
    for (const part of options.parts) {
      const section = await PROOFS[part](pool, options);
      console.log(terminalSection(section));
      sections.push(section);
      // What is proved stays, whatever becomes of the parts that follow.
      path = writeReport(options.folder, sections);
    }
  } finally {
    await pool.close();
  }
  const missed = missedMarks(sections).length;
  const minutes = ((systemTime.now() - startMs) / 60_000).toFixed(1);
  console.log(`
${missed} marks missed, ${minutes} min, report in ${path}`);
  process.exitCode = missed > 0 ? 1 : 0;
});
