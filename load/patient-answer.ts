import { systemTime } from '../src/time.ts';

const RETRY_MS = 250;
const ANSWER_MS_MAX = 60_000;
/** The node asks to come again. */
const LATER = [429, 503];

/** What a node answers, however often it asks to come again. Throws for what is no 503 or 429. */
export async function patientAnswer<T>(url: URL, path: string): Promise<T> {
  for (const endMs = systemTime.now() + ANSWER_MS_MAX; ; ) {
    const answer = await fetch(new URL(path, url));
    if (answer.ok) return (await answer.json()) as T;
    const text = `${path}: ${answer.status} ${await answer.text()}`;
    if (!LATER.includes(answer.status) || systemTime.now() > endMs) throw new Error(text);
    await systemTime.sleep(RETRY_MS);
  }
}
