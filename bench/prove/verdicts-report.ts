import { figure } from '../common/figures.ts';
import type { Section } from './section.ts';
import type { Verdicts } from './verdicts.ts';

export function verdictsSection(all: Verdicts): Section {
  const { wanted, worlds, incidents, sets, reruns, otherVerdicts } = all;
  const { sentences, replayed, relived, wrongSentences, accounts } = all;
  const lived = [worlds, incidents, sets, reruns, otherVerdicts];
  const told = [sentences, replayed, relived, wrongSentences];
  return {
    id: 'verdicts',
    title: 'Verdicts: do reports of a node hold from outside?',
    method:
      'A node of its own, asked as any client asks it. Worlds with two to four features off that ' +
      'differ from car to car; the journal of each is lived again in new worlds that have what a ' +
      'report names, set by set, on from 16 to 1.5 s before the collision. The verdict is the same ' +
      'where two of three starts that follow each other show it. What a sentence says of the ' +
      'collision as it was is compared with the report; what would have been with the replay, where ' +
      'that switches on just what the sentence names, and where the collision would have been ' +
      'milder with the reports of the worlds lived again.',
    figures: [
      figure('incidents lived again', incidents, 'incidents', { atLeast: wanted }),
      figure('named sets with another verdict', otherVerdicts, 'sets', { atMost: 0 }),
      figure('sentences compared with their replay', replayed, 'sentences', { atLeast: 1 }),
      figure('sentences with another figure', wrongSentences, 'sentences', { atMost: 0 }),
    ],
    tables: [
      {
        title: 'Counted',
        head: [
          ...['Worlds', 'incidents', 'sets', 're-runs', 'other verdict'],
          ...['sentences', 'replayed', 'lived again', 'other figure'],
        ],
        rows: [[...lived, ...told].map(String)],
      },
      ...(accounts.length > 0
        ? [{ title: 'Not the same in', head: ['Where'], rows: accounts.map((each) => [each]) }]
        : []),
    ],
    plots: [],
    data: all,
  };
}
