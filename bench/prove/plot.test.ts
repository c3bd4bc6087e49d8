import { describe, expect, it } from 'vitest';
import { axisOf, barPlot, linePlot } from './plot.ts';

/** The numbers of the path that is drawn with this stroke. */
function pointsOf(svg: string, stroke: string): number[][] {
  const path = new RegExp(`<path d="([^"]+)" fill="none" stroke="${stroke}"`).exec(svg)?.[1] ?? '';
  return [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

describe('axes', () => {
  it('end at round numbers around the values', () => {
    expect(axisOf([0, 5.8])).toEqual({ min: 0, max: 6, ticks: [0, 1, 2, 3, 4, 5, 6] });
    expect(axisOf([-0.31, 0.62])).toEqual({
      min: -0.4,
      max: 0.8,
      ticks: [-0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8],
    });
  });

  it('have a length even where all values are one, or none is there', () => {
    expect(axisOf([3])).toMatchObject({ min: 0, max: 3 });
    expect(axisOf([0])).toMatchObject({ min: 0, max: 1 });
    expect(axisOf([])).toMatchObject({ min: 0, max: 1 });
  });
});

describe('line plots', () => {
  const axes = { title: 'Speed', x: 's', y: 'km/h' };

  it('put the ends of a diagonal into the corners of the frame', () => {
    const points = [
      [0, 0],
      [6, 60],
    ] as const;
    const svg = linePlot({ ...axes, series: [{ name: 'on', points }] });
    expect(pointsOf(svg, '#0072b2')).toEqual([
      [64, 316],
      [704, 36],
    ]);
  });

  it('name the lines where there are several, and dash those that ask for it', () => {
    const points = [
      [0, 0],
      [1, 1],
    ] as const;
    const series = [
      { name: 'on', points },
      { name: 'off', points, dashed: true, colour: 3 },
    ];
    const svg = linePlot({ ...axes, series });
    expect(svg).toContain('>on</text>');
    expect(svg).toContain('>off</text>');
    expect(svg).toContain('stroke="#cc79a7" stroke-width="2" stroke-dasharray="6 4"');
    expect(linePlot({ ...axes, series: series.slice(0, 1) })).not.toContain('>on</text>');
  });

  it('can be drawn of nothing', () => {
    expect(linePlot({ ...axes, series: [] })).not.toContain('NaN');
  });
});

describe('bar plots', () => {
  it('make bars as long as their values', () => {
    const bars = [
      { name: 'a', value: 5 },
      { name: 'b', value: 10 },
      { name: 'c', value: Number.NaN },
    ];
    const svg = barPlot({ title: 'Collisions', x: 'per 1,000 km', bars });
    const widths = [...svg.matchAll(/<rect x="190" [^>]*? width="([\d.]+)"/g)].map(([, w]) =>
      Number(w),
    );
    expect(widths).toEqual([227, 454, 0]);
    expect(svg).toContain('>10</text>');
    expect(svg).toContain('>–</text>');
  });
});

it('text is escaped', () => {
  const svg = barPlot({ title: '<b>&', x: '', bars: [] });
  expect(svg).toContain('&lt;b&gt;&amp;');
  expect(svg).not.toContain('<b>');
});
