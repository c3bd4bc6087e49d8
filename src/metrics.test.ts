import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

test('[O6] answers are counted by service, route and status, however often they are read', async () => {
  const metrics = new Metrics();
  const meter = metrics.routeMeter('twin', 'GET /x');
  meter.answered(200);
  meter.answered(200);
  meter.answered(404);
  const line = (status: number, count: number) =>
    `http_answers_total{service="twin",route="GET /x",status="${status}"} ${count}\n`;
  await metrics.text();
  expect(await metrics.text()).toContain(line(200, 2) + line(404, 1));
  meter.answered(200);
  expect(await metrics.text()).toContain(line(200, 3));
});

test('gauges and counters are read on request', async () => {
  const metrics = new Metrics();
  let value = 1;
  metrics.gauge('worlds_open', 'Open worlds.', () => value);
  metrics.counter('frames_total', 'Frames.', () => value);
  expect(await metrics.text()).toMatch(/^worlds_open 1$/m);
  value = 5;
  const text = await metrics.text();
  expect(text).toMatch(/^worlds_open 5$/m);
  expect(text).toMatch(/^frames_total 5$/m);
});

test('waits fall into buckets', async () => {
  const metrics = new Metrics();
  for (const waitS of [0.0005, 0.015, 30]) metrics.observeWait(waitS);
  const text = await metrics.text();
  expect(text).toContain('http_wait_seconds_bucket{le="0.001"} 1\n');
  expect(text).toContain('http_wait_seconds_bucket{le="0.02"} 2\n');
  expect(text).toContain('http_wait_seconds_bucket{le="+Inf"} 3\n');
});

test('the process reports on itself', async () => {
  const metrics = new Metrics();
  metrics.addProcess();
  const text = await metrics.text();
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  expect(text).not.toMatch(/ Nan$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
});
