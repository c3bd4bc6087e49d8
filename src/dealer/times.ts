/** A moment as the API writes it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
