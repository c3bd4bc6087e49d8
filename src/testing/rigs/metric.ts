type Exposing = { opsUrl: string };

/** The value of a metric without labels, of all nodes together; NaN where one has no such metric. */
export async function metricOf(
  of: Exposing & { nodes?: readonly Exposing[] },
  name: string,
): Promise<number> {
  const values = await Promise.all((of.nodes ?? [of]).map((node) => readMetric(node, name)));
  return values.reduce((sum, value) => sum + value, 0);
}

async function readMetric({ opsUrl }: Exposing, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
