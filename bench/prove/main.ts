/** Proves that features matter and that nobody collides with all of them: `npm run prove`. */
import { runAttribution } from './attribution.ts';
import { attributionSection } from './attribution-report.ts';
import { Crew } from './crew.ts';
import { GROUPS, runManoeuvres } from './manoeuvres.ts';
import { manoeuvresSection } from './manoeuvres-report.ts';
import { HELP, optionsFrom, type Part, type ProveOptions } from './options.ts';
import { terminalSection, writeReport } from './report.ts';
import { missedMarks, type Section } from './section.ts';
import { runSweep } from './sweep.ts';
import { sweepSection } from './sweep-report.ts';
import { runVerdicts } from './verdicts.ts';
import { verdictsSection } from './verdicts-report.ts';

type Proof = (crew: Crew, options: ProveOptions) => Promise<Section>;

const PROOFS: Readonly<Record<Part, Proof>> = {
  manoeuvres: async (crew) => manoeuvresSection(await runManoeuvres(crew), GROUPS),
  sweep: async (crew, options) => sweepSection(await runSweep(crew, options)),
  attribution: async (crew, options) => attributionSection(await runAttribution(crew, options)),
  verdicts: async (_, options) => verdictsSection(await runVerdicts(options)),
};

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}
const options = chosen();
const startMs = performance.now();
const crew = new Crew(options.threads);
const sections: Section[] = [];
try {
  for (const part of options.parts) {
    const section = await PROOFS[part](crew, options);
    console.log(terminalSection(section));
    sections.push(section);
  }
} finally {
  await crew.close();
}
const path = writeReport(options.folder, sections);
const missed = missedMarks(sections).length;
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
console.log(`\n${missed} marks missed, ${minutes} min, report in ${path}`);
process.exitCode = missed > 0 ? 1 : 0;

function chosen(): ProveOptions {
  try {
    return optionsFrom(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exit(2);
  }
}
