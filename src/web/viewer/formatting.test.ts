import { describe, expect, it } from 'vitest';
import { COLOURS } from '../../twin/enumerations.ts';
import { colourName } from '../common/colours.ts';
import {
  ago,
  duration,
  formatClock,
  formatInteger,
  inSentence,
  joinWords,
  kmh,
  matchesSearch,
  missingText,
  needsText,
  percent,
  relativeToContact,
  sentence,
  title,
} from './formatting.ts';

it('messages of the twin name features in plain words', () => {
  const said = 'front_camera was off; with it and aeb the car would have stopped 2.6 m short.';
  expect(sentence(said)).toBe(
    'Front camera was off; with it and AEB the car would have stopped 2.6 m short.',
  );
});

describe('figures', () => {
  it('are speeds in km/h', () => {
    expect([0, 13.89, 11.64].map(kmh)).toEqual(['0 km/h', '50 km/h', '42 km/h']);
  });

  it('are times in their two largest units', () => {
    const seconds = [0, 1, 59.6, 61, 724, 3600, 4360, 90_061];
    expect(seconds.map((each) => duration(each))).toEqual([
      ...['0 s', '1 s', '1 min', '1 min 1 s', '12 min 4 s', '1 h', '1 h 12 min', '1 d 1 h'],
    ]);
    expect(ago(724 * 50)).toBe('12 min 4 s ago');
    expect(ago(3660 * 50, true)).toBe('1 hour 1 minute ago');
  });

  it('are times of the world', () => {
    expect([0, 19.92, 95.44, 3723.4].map(formatClock)).toEqual([
      '0:00.0',
      '0:19.9',
      '1:35.4',
      '1:02:03.4',
    ]);
  });

  it('are moments relative to the contact', () => {
    expect(relativeToContact(936, 996)).toBe('1.2 s before the contact');
    expect(relativeToContact(1096, 996)).toBe('2.0 s after the contact');
    expect(relativeToContact(997, 996)).toBe('at the contact');
  });

  it('are parts and large numbers', () => {
    expect([0.0152, 0.4567, 1].map(percent)).toEqual(['1.5 %', '46 %', '100 %']);
    expect(formatInteger(12_803.88)).toBe('12,804');
  });
});

describe('names', () => {
  it('are capitalised, abbreviations in capitals', () => {
    expect(['aeb', 'front_camera'].map(title)).toEqual(['AEB', 'Front camera']);
    expect(['esc', 'front_camera'].map(inSentence)).toEqual(['ESC', 'front camera']);
  });

  it('are joined with a last word', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((names) => joinWords(names))).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });

  it('list the needs of a feature', () => {
    expect(needsText({ needs: ['brakes', ['front_radar', 'front_camera']] })).toBe(
      'Needs brakes and front radar or front camera.',
    );
    expect(needsText({ needs: [] })).toBe('');
  });

  it('list what a feature lacks', () => {
    expect(missingText('degraded', ['brakes'])).toBe('Lacks brakes');
    expect(missingText('degraded', ['front_radar', 'front_camera'])).toBe(
      'Lacks front radar and front camera',
    );
    expect(missingText('on', [])).toBe('');
  });
});

it('a car is found by plate, model and VIN', () => {
  const car = {
    vin: 'DTWYTSGB4TN4Y6YUJ',
    model: 'Halden Terra',
    plate: 'BL 319 DR',
    colour: 'teal' as const,
  };
  expect(
    ['', 'bl319', 'TERRA', 'halden t', 'dtwyts'].map((text) => matchesSearch(car, text)),
  ).toEqual([true, true, true, true, true]);
  expect(matchesSearch(car, 'Lumen')).toBe(false);
});

it('every colour of the fleet has an everyday name', () => {
  const names = COLOURS.map(colourName);
  expect(names).toEqual(expect.arrayContaining(['Red', 'Dark blue', 'White']));
  for (const name of names)
    expect(name).toMatch(
      /^(Dark |Light )?(red|blue|green|grey|white|black|silver|yellow|orange|pink|turquoise)$/i,
    );
});
