import { openTestFront } from '../../src/testing/doubles/test-front.ts';
import { publishedBy, type Target } from './target.ts';

/** A front end in this process, over worlds that stand still. */
export async function openTestTarget() {
  const front = openTestFront();
  const { service, logLines } = front;
  const { id, fleet } = service.add();
  const worlds = () => [...service.worlds.values()];
  const changes = () => worlds().reduce((sum, world) => sum + world.changes.length, 0);
  const urls = { twin: front.twinUrl, dealer: front.dealerUrl };
  const target: Target = {
    urls,
    published: await publishedBy(urls),
    world: id,
    vin: fleet[0]?.vin ?? '',
    tokens: { admin: '', dealer: '', customer: '' },
    effects: async () => worlds().length + changes(),
    faults: () => logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
  };
  return {
    ...target,
    watcherCount: () => worlds().reduce((sum, { watcherCount }) => sum + watcherCount, 0),
    close: () => front.close(),
  };
}
