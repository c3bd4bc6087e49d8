import { figure } from '../common/figures.ts';
import { listed, type Section } from './section.ts';
import type { Verdicts } from './verdicts.ts';

const JOINED_PERCENT_MAX = 25;

export function verdictsSection(all: Verdicts): Section {
  const { wanted, worlds, incidents, sets, reruns, otherVerdicts } = all;
  const { sentences, replayed, rerun, milder, joined, wrongSentences, otherPoints, accounts } = all;
  const worldCounts = [worlds, incidents, milder, joined, sets, reruns, otherVerdicts];
  const sentenceCounts = [sentences, replayed, rerun, wrongSentences, all.recomputed, otherPoints];
  return {
    id: 'verdicts',
    title: 'Verdicts: do reports of a node hold from outside?',
    method:
      'A node of its own, used through its interface. Worlds have two to four features off, others ' +
      'on each car. The journal of each runs again in new worlds in which the features that a ' +
      'report names, set by set, are on from 16 to 1.5 s before the collision. The verdict is ' +
      'confirmed if two of three neighbouring starts show it. What a sentence says about the ' +
      'collision is compared with the report. What it says about the other outcome is compared ' +
      'with the replay, if that switches on exactly the named features; for a milder collision ' +
      'also with the report of the new world in which the same touch each other at the tick of ' +
      'that replay, or if there is none with the reports of all, unless another car takes part in ' +
      'each of these collisions. Severity, injury risk, points and repair cost of every report are ' +
      'computed anew from what it shows and the published formulas.',
    figures: [
      figure('incidents run again', incidents, 'incidents', { atLeast: wanted }),
      figure('named sets with another verdict', otherVerdicts, 'sets', { atMost: 0 }),
      figure('sentences compared with their replay', replayed, 'sentences', { atLeast: 1 }),
      figure('sentences with another figure', wrongSentences, 'sentences', { atMost: 0 }),
      figure('milder collisions compared with re-runs', milder - joined, 'collisions', {
        atLeast: 1,
      }),
      figure('incidents that another car always joins', (100 * joined) / Math.max(1, milder), '%', {
        atMost: JOINED_PERCENT_MAX,
      }),
      figure('reports computed anew', all.recomputed, 'reports', { atLeast: wanted }),
      figure('reports with other points than they show', otherPoints, 'reports', { atMost: 0 }),
    ],
    tables: [
      {
        title: 'Counted',
        head: [
          ...['Worlds', 'incidents', 'made milder', 'always joined'],
          ...['sets', 're-runs', 'other verdict'],
          ...['sentences', 'replayed', 'run again', 'other figure'],
          ...['computed anew', 'other points'],
        ],
        rows: [[...worldCounts, ...sentenceCounts].map(String)],
      },
      ...listed('Not the same in', accounts),
    ],
    plots: [],
    data: all,
  };
}
