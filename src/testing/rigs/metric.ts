type Exposing = { opsUrl: string };

/** The value of a metric without labels, of all nodes together; NaN where one has no such metric. */
export async function metricOf(
  of: Exposing & { nodes?: readonly Exposing[] },
  name: string,
): Promise<number> {
  const values = await Promise.all((of.nodes ?? [of]).map((node) => readMetric(node, name)));
  return values.reduce((sum, value) => sum + value, 0);
}

async function readMetric(of: Exposing, name: string): Promise<number> {
  return valueIn(await samplesOf(of), name);
}

/** A line of `/metrics`. */
export interface PrintedSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** All that a node prints. */
export async function samplesOf({ opsUrl }: Exposing): Promise<readonly PrintedSample[]> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const lines = text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm);
  return [...lines].map(([, name = '', labels = '', value = '']) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', of = '']) => [
        label,
        of,
      ]),
    ),
    value: Number(value.replace('Inf', 'Infinity')),
  }));
}

/** The value of a metric with exactly these labels; NaN if it is not among the samples. */
export function valueIn(
  samples: readonly PrintedSample[],
  name: string,
  labels: PrintedSample['labels'] = {},
): number {
  const wanted = Object.entries(labels);
  const found = samples.find(
    (sample) =>
      sample.name === name &&
      Object.keys(sample.labels).length === wanted.length &&
      wanted.every(([label, value]) => sample.labels[label] === value),
  );
  return found?.value ?? Number.NaN;
}
