import { expect, test } from 'vitest';
import { Histogram } from './histogram.ts';
import type { Metric } from './metric-names.ts';
import { Metrics } from './metrics.ts';
import { TestTime } from './testing/doubles/test-time.ts';

const named = (kind: Metric['kind'], ...labels: readonly string[]): Metric => ({
  ...{ kind, name: `of_${kind}`, help: 'Of a test.', labels },
});

test('[O6] requests are counted by service, route and status, however often they are read', async () => {
  const metrics = new Metrics();
  const meter = metrics.routeMeter('twin', 'GET /x');
  meter.answered(200);
  meter.answered(200);
  meter.answered(404);
  const line = (status: number, count: number) =>
    `twin_http_requests_total{service="twin",route="GET /x",status="${status}"} ${count}\n`;
  await metrics.text();
  expect(await metrics.text()).toContain(line(200, 2) + line(404, 1));
  meter.answered(200);
  expect(await metrics.text()).toContain(line(200, 3));
});

test('[O20] answers fall into buckets by service, route and class of status', async () => {
  const metrics = new Metrics();
  const meter = metrics.routeMeter('twin', 'GET /x');
  for (const ms of [0.5, 15, 30_000]) meter.waited(200, ms);
  meter.waited(503, 5000);
  const text = await metrics.text();
  const name = 'twin_http_request_duration_seconds';
  const labels = 'service="twin",route="GET /x",status_class="2xx"';
  expect(text).toContain(`# TYPE ${name} histogram\n`);
  expect(text).toContain(`${name}_bucket{${labels},le="0.001"} 1\n`);
  expect(text).toContain(`${name}_bucket{${labels},le="0.02"} 2\n`);
  expect(text).toContain(`${name}_bucket{${labels},le="+Inf"} 3\n`);
  expect(text).toContain(`${name}_sum{${labels}} 30.0155\n`);
  expect(text).toContain(`${name}_count{${labels}} 3\n`);
  expect(text).toContain(`${name}_count{${labels.replace('2xx', '5xx')}} 1\n`);
});

test('pending requests are those of each service', async () => {
  const metrics = new Metrics();
  metrics.pendingOf('twin', () => 3);
  metrics.pendingOf('dealer', () => 0);
  const text = await metrics.text();
  expect(text).toContain('twin_http_requests_pending{service="twin"} 3\n');
  expect(text).toContain('twin_http_requests_pending{service="dealer"} 0\n');
});

test('gauges, counters and histograms are read on request', async () => {
  const metrics = new Metrics();
  let value = 1;
  const histogram = new Histogram();
  metrics.read(named('gauge'), () => value);
  metrics.read(named('counter'), () => value);
  metrics.histogram(named('histogram'), histogram);
  expect(await metrics.text()).toMatch(/^of_gauge 1$/m);
  value = 5;
  histogram.observe(0.0015);
  const text = await metrics.text();
  expect(text).toMatch(/^of_gauge 5$/m);
  expect(text).toMatch(/^of_counter 5$/m);
  expect(text).toMatch(
    /^of_histogram_bucket\{le="0.001"\} 0\nof_histogram_bucket\{le="0.002"\} 1$/m,
  );
  expect(text).toMatch(/^of_histogram_sum 0.0015\nof_histogram_count 1$/m);
});

test('samples with other labels than before replace them', async () => {
  const metrics = new Metrics();
  let labels = ['a', 'b'];
  metrics.readEach(named('gauge', 'of'), () => labels.map((label, i) => [[label], i]));
  expect(await metrics.text()).toMatch(/^of_gauge\{of="b"\} 1$/m);
  labels = ['b'];
  const text = await metrics.text();
  expect(text).toMatch(/^of_gauge\{of="b"\} 0$/m);
  expect(text).not.toContain('of="a"');
});

test('labels are escaped', async () => {
  const metrics = new Metrics();
  metrics.histograms(named('histogram', 'of'), () => [[['a"b\\c\n'], new Histogram()]]);
  expect(await metrics.text()).toContain('of_histogram_count{of="a\\"b\\\\c\\n"} 0\n');
});

test('the process reports on itself, with its event loop as late as its timers', async () => {
  const time = TestTime.standing();
  const metrics = new Metrics();
  const stop = metrics.addProcess(time);
  await time.advance(1000);
  await time.jump(300);
  const text = await metrics.text();
  expect(text).toMatch(/^twin_event_loop_lag_seconds_bucket\{le="0.001"\} 5$/m);
  expect(text).toMatch(/^twin_event_loop_lag_seconds_sum 0.1$/m);
  expect(text).toMatch(/^twin_event_loop_lag_seconds_count 6$/m);
  expect(text).toMatch(/^twin_event_loop_active_seconds_total \d/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  expect(text).not.toMatch(/ Nan$/m);
  // The library counts its own interval as lag.
  expect(text).not.toContain('nodejs_eventloop_lag');
  stop();
  await time.advance(1000);
  expect(await metrics.text()).toMatch(/^twin_event_loop_lag_seconds_count 6$/m);
});
