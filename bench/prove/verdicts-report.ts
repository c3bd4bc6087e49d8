import { figure } from '../figures.ts';
import type { Section } from './section.ts';
import type { Verdicts } from './verdicts.ts';

export function verdictsSection(all: Verdicts): Section {
  const { wanted, worlds, incidents, reruns, otherVerdicts } = all;
  const { sentences, wrongSentences, accounts } = all;
  const counts = [worlds, incidents, reruns, otherVerdicts, sentences, wrongSentences];
  return {
    id: 'verdicts',
    title: 'Verdicts: do reports of a node hold from outside?',
    method:
      'A node of its own, asked as any client asks it. Worlds with two to four features off that ' +
      'differ from car to car; the journal of each is lived again in new worlds that have what a ' +
      'report names on from 16 to 4 s before the collision, in steps of 2 s. The verdict is the same ' +
      'where two of three starts that follow each other show it. Of collisions of one car the figures ' +
      'of each sentence are compared with the report and its replay.',
    figures: [
      figure('incidents lived again', incidents, 'incidents', { atLeast: wanted }),
      figure('incidents with another verdict', otherVerdicts, 'incidents', { atMost: 0 }),
      figure('sentences compared with their replay', sentences, 'sentences', { atLeast: 1 }),
      figure('sentences with another figure', wrongSentences, 'sentences', { atMost: 0 }),
    ],
    tables: [
      {
        title: 'Counted',
        head: ['Worlds', 'incidents', 're-runs', 'other verdict', 'sentences', 'other figure'],
        rows: [counts.map(String)],
      },
      ...(accounts.length > 0
        ? [{ title: 'Not the same in', head: ['Where'], rows: accounts.map((each) => [each]) }]
        : []),
    ],
    plots: [],
    data: all,
  };
}
