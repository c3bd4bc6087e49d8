/** The value of a metric without labels; NaN where a node has no such metric. */
export async function metricOf({ opsUrl }: { opsUrl: string }, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
